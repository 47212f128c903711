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
  var light = theme === 'light' || (theme !== 'dark' && matchMedia('(prefers-color-scheme: light)').matches);
  root.dataset.theme = light ? 'light' : 'dark';
  var text = number('text', 0.85, 1.5);
  if (text) root.style.setProperty('--text-scale', String(text));
  var card = number('card', 112, 260);
  if (card) root.style.setProperty('--card', card + 'px');

  // A user who was signed in probably still is: the code and the data of the page are fetched before any script has
  // run that would ask for them one after another. `ApiClient` takes the answers.
  if (!read('user')) return;
  var path = location.pathname;
  var item = /^\/items\/\d+$/.test(path);
  var page = path === '/' ? 'home' : item ? 'item' : /^\/library\/[^/]+$/.test(path) ? 'browse' : '';
  var early = (window.ledgeEarly = {});
  function ask(address) {
    var url = '/api/v1' + address;
    early[url] = fetch(url, { headers: { Accept: 'application/json' } });
    early[url].catch(function () {}); // reported where the answer is wanted
  }
  ask('/auth/me');
  ask('/media-types');
  ask('/libraries');
  var engines = read('engines') ? '?engines=' + read('engines') : '';
  if (page === 'home') ask('/home' + engines);
  if (item) ask(path + engines);
  var files = document.querySelector('meta[name="page-files"]');
  ((files && JSON.parse(files.content)[page]) || []).forEach(function (file) {
    var link = document.createElement('link');
    var isScript = /\.js$/.test(file);
    link.rel = isScript ? 'modulepreload' : 'preload';
    if (!isScript) link.as = 'style';
    link.crossOrigin = '';
    link.href = '/' + file;
    document.head.append(link);
  });
})();
