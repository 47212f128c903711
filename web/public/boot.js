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
    return early[url];
  }
  ask('/auth/me');
  ask('/media-types');
  ask('/libraries');
  var engines = read('engines') ? '?engines=' + read('engines') : '';
  if (page === 'home') ask('/home' + engines);
  // Without a query, a list begins with its first page by title.
  if (page === 'browse' && !location.search) {
    var kind = '?kind=' + path.split('/')[2];
    ask('/items' + kind + '&sort=title&order=asc&offset=0&limit=60');
  }
  if (item) ask(path + engines).then(readCover, function () {});
  // The cover is the largest content of an item's page. Its addresses and sizes are those of `CoverObject` on `ItemPage`: another
  // list would make the browser fetch two pictures.
  function readCover(answer) {
    if (!answer.ok) return;
    answer
      .clone()
      .json()
      .then(function (whole) {
        if (whole.cover) preloadCover(whole.cover);
      }, Function.prototype);
  }
  function preloadCover(cover) {
    var widths = [240, 480, 960];
    var names = ['small', 'medium', 'large'];
    if (Math.min(cover.width, cover.height) < 16) return;
    var link = document.createElement('link');
    link.rel = 'preload';
    link.as = 'image';
    link.fetchPriority = 'high';
    link.imageSizes = '(max-width: 760px) 186px, 286px';
    link.imageSrcset = names
      .filter(function (_, index) {
        return index === 0 || cover.width > widths[index - 1];
      })
      .map(function (name, index) {
        var separator = cover.url.includes('?') ? '&' : '?';
        return cover.url + separator + 'size=' + name + ' ' + Math.min(widths[index], cover.width) + 'w';
      })
      .join(', ');
    document.head.append(link);
  }
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
