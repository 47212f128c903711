// Applies this device's settings before the first paint. External, because the page's policy allows no inline script.
(function () {
  var root = document.documentElement;
  function read(name) {
    try {
      return localStorage.getItem('ledge.' + name);
    } catch {
      return null; // storage refused: defaults
    }
  }
  function number(name, low, high) {
    var value = parseFloat(read(name) || '');
    return value >= low && value <= high ? value : null;
  }
  var theme = read('theme');
  var light =
    theme === 'light' || (theme === 'system' && matchMedia('(prefers-color-scheme: light)').matches);
  root.dataset.theme = light ? 'light' : 'dark';
  var text = number('text', 0.85, 1.5);
  if (text) root.style.setProperty('--text-scale', String(text));
  var card = number('card', 112, 260);
  if (card) root.style.setProperty('--card', card + 'px');
})();
