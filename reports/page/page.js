'use strict';
(function () {
  var root = document.documentElement;
  root.classList.add('scripted');
  var all = function (selector, from) { return Array.prototype.slice.call((from || document).querySelectorAll(selector)); };

  // Theme: the system's, until the reader says otherwise. Storage may be refused for a local file.
  var theme = document.getElementById('theme');
  var dark = matchMedia('(prefers-color-scheme: dark)');
  function isDark() { return root.dataset.theme ? root.dataset.theme === 'dark' : dark.matches; }
  function showTheme() { theme.setAttribute('aria-pressed', String(isDark())); }
  try { var stored = localStorage.getItem('oncecheck-theme'); if (stored === 'dark' || stored === 'light') root.dataset.theme = stored; } catch (refused) {}
  theme.addEventListener('click', function () {
    root.dataset.theme = isDark() ? 'light' : 'dark';
    try { localStorage.setItem('oncecheck-theme', root.dataset.theme); } catch (refused) {}
    showTheme();
  });
  dark.addEventListener('change', showTheme);
  showTheme();

  // Copy: the clipboard where it is allowed, else the text is selected for the reader.
  all('.copy').forEach(function (button) {
    button.addEventListener('click', function () {
      var code = button.parentNode.querySelector('code');
      function said(text) { button.textContent = text; setTimeout(function () { button.textContent = 'Copy'; }, 1600); }
      function select() {
        getSelection().selectAllChildren(code);
        said('Selected');
      }
      if (!navigator.clipboard) { select(); return; }
      navigator.clipboard.writeText(code.textContent).then(function () { said('Copied'); }, select);
    });
  });

  // Filter.
  var form = document.getElementById('filter'), words = document.getElementById('words'), shown = document.getElementById('shown');
  var clauses = all('.clause').map(function (node) { return { node: node, verdict: node.dataset.verdict, text: node.textContent.toLowerCase() }; });
  var cards = all('.card');
  var verdict = '';
  function apply() {
    var terms = words.value.toLowerCase().split(/\s+/).filter(Boolean), n = 0;
    clauses.forEach(function (c) {
      var hit = (!verdict || c.verdict === verdict) && terms.every(function (t) { return c.text.indexOf(t) >= 0; });
      c.node.hidden = !hit;
      if (hit) n++;
    });
    var filtering = verdict || terms.length;
    cards.forEach(function (card) {
      card.hidden = !card.querySelector('.clause:not([hidden])');
      card.open = filtering ? true : card.dataset.quiet !== 'true';
    });
    shown.textContent = filtering ? n + ' of ' + clauses.length + ' clauses shown' : '';
  }
  all('button', form).forEach(function (button) {
    button.addEventListener('click', function () {
      verdict = button.dataset.verdict;
      all('button', form).forEach(function (b) { b.setAttribute('aria-pressed', String(b === button)); });
      apply();
    });
  });
  words.addEventListener('input', apply);
  form.addEventListener('submit', function (event) { event.preventDefault(); });
  apply();

  // Links into folded sections unfold them, and lift a filter that hides their goal.
  function reveal() {
    var id = decodeURIComponent(location.hash.slice(1));
    // An event that no picture shows is still in its scenario.
    var goal = id && (document.getElementById(id) || document.getElementById(id.replace(/-e\d+$/, '')));
    if (!goal) return;
    if (goal.closest('[hidden]')) {
      words.value = '';
      all('button', form)[0].click();
    }
    for (var node = goal; node; node = node.parentElement) if (node.tagName === 'DETAILS') node.open = true;
    all('.goal').forEach(function (old) { old.classList.remove('goal'); });
    var mark = goal instanceof SVGElement ? goal.parentNode : goal;
    mark.classList.add('goal');
    mark.scrollIntoView({ block: 'center', inline: 'nearest' });
  }
  addEventListener('hashchange', reveal);
  document.addEventListener('click', function (event) {
    var link = event.target.closest && event.target.closest('a[href^="#"]');
    if (link && link.hash === location.hash) reveal();
  });
  reveal();

  all('[data-fold]').forEach(function (button) {
    button.addEventListener('click', function () {
      all('.scenario').forEach(function (d) { d.open = button.dataset.fold === 'open'; });
    });
  });

  // On paper nothing can be unfolded.
  var folded = [];
  addEventListener('beforeprint', function () { folded = all('details:not([open])'); folded.forEach(function (d) { d.open = true; }); });
  addEventListener('afterprint', function () { folded.forEach(function (d) { d.open = false; }); });
})();
