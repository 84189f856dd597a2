package webhook

import (
	"maps"
	"testing"
	"time"
)

// TestStandard: the signature was computed by another program from the description.
func TestStandard(t *testing.T) {
	for _, secret := range []string{"MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLASw"} {
		sign, err := Standard(secret)
		if err != nil {
			t.Fatal(err)
		}
		got, err := sign("msg_p5jXN8AQM9LWM0D4loKWxJek", time.Unix(1614265330, 0), []byte(`{"test": 2432232314}`))
		want := map[string]string{
			"webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330",
			"webhook-signature": "v1,hn6gPDuvthHWWsZDuMjgwyc63ajzh5ywzvy1quoqxtk=",
		}
		if err != nil || !maps.Equal(got, want) {
			t.Errorf("got %v, %v; want %v", got, err, want)
		}
	}
	if _, err := Standard("no base64!"); err == nil {
		t.Error("a secret that is none was taken")
	}
}
