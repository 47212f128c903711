/** Small books for the tests of the readers, generated here. */
import { crc32, deflateSync } from 'node:zlib';

/** A zip archive of stored files: `[name, bytes or text]`, in order. */
export function zip(files) {
  const parts = [];
  const directory = [];
  let at = 0;
  for (const [name, content] of files) {
    const body = Buffer.from(content);
    const label = Buffer.from(name);
    const fixed = Buffer.alloc(26);
    fixed.writeUInt16LE(20, 0);
    fixed.writeUInt16LE(0x0800, 2);
    fixed.writeUInt32LE(0x00210000, 6); // 1980-01-01
    fixed.writeUInt32LE(crc32(body), 10);
    fixed.writeUInt32LE(body.length, 14);
    fixed.writeUInt32LE(body.length, 18);
    fixed.writeUInt16LE(label.length, 22);
    const tail = Buffer.alloc(14);
    tail.writeUInt32LE(at, 10);
    directory.push(Buffer.concat([Buffer.from('PK\x01\x02\x14\x00', 'latin1'), fixed, tail, label]));
    const record = Buffer.concat([Buffer.from('PK\x03\x04', 'latin1'), fixed, label, body]);
    parts.push(record);
    at += record.length;
  }
  const list = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write('PK\x05\x06', 0, 'latin1');
  end.writeUInt16LE(files.length, 8);
  end.writeUInt16LE(files.length, 10);
  end.writeUInt32LE(list.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...parts, list, end]);
}

const page = (title, body, head = '') => `<?xml version="1.0" encoding="UTF-8"?>
<html xmlns="http://www.w3.org/1999/xhtml" xmlns:epub="http://www.idpf.org/2007/ops" lang="en">
<head><title>${title}</title>${head}</head><body>${body}</body></html>`;

/** An EPUB of `[title, body]` chapters. */
export function epub({ title, chapters, extra = [], head = '' }) {
  const names = chapters.map((_, index) => `c${index + 1}.xhtml`);
  const manifest = names.map(
    (name, index) => `<item id="c${index}" href="${name}" media-type="application/xhtml+xml"/>`,
  );
  const others = extra.map(
    ([name, , type], index) => `<item id="x${index}" href="${name}" media-type="${type}"/>`,
  );
  const spine = names.map((_, index) => `<itemref idref="c${index}"/>`);
  const contents = chapters.map(([label], index) => `<li><a href="${names[index]}">${label}</a></li>`);
  return zip([
    ['mimetype', 'application/epub+zip'],
    [
      'META-INF/container.xml',
      `<?xml version="1.0"?><container version="1.0" xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles><rootfile full-path="OPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`,
    ],
    [
      'OPS/book.opf',
      `<?xml version="1.0"?><package xmlns="http://www.idpf.org/2007/opf" version="3.0" unique-identifier="id"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:identifier id="id">${title}</dc:identifier><dc:title>${title}</dc:title><dc:language>en</dc:language><dc:creator>Nobody in Particular</dc:creator></metadata><manifest><item id="nav" href="nav.xhtml" media-type="application/xhtml+xml" properties="nav"/>${manifest.join('')}${others.join('')}</manifest><spine>${spine.join('')}</spine></package>`,
    ],
    ['OPS/nav.xhtml', page('Contents', `<nav epub:type="toc"><ol>${contents.join('')}</ol></nav>`)],
    ...chapters.map(([label, body], index) => [`OPS/${names[index]}`, page(label, body, head)]),
    ...extra.map(([name, content]) => [`OPS/${name}`, content]),
  ]);
}

const numbered = (chapter, count) =>
  Array.from(
    { length: count },
    (_, index) =>
      `<p id="l${index + 1}">Line ${index + 1} of chapter ${chapter}: the keeper trims the lamp, writes the hour, and looks out at the water once more before the tide turns.</p>`,
  ).join('\n');

/** Three chapters, each line saying which one it is; a footnote in the second. */
export const plain = () =>
  epub({
    title: 'The Numbered Tide',
    chapters: [
      ['Ebb', `<h1>Ebb</h1>${numbered('one', 24)}`],
      [
        'Slack',
        `<h1>Slack</h1><p>A word with a note<a id="r" epub:type="noteref" href="#n">1</a>.</p>${numbered('two', 60)}<aside id="n" epub:type="footnote"><p>The note about <em>slack</em> water. <a href="#r" epub:type="backlink">↩</a></p></aside>`,
      ],
      ['Flood', `<h1>Flood</h1><p>Only here stands the word perihelion.</p>${numbered('three', 12)}`],
    ],
  });

/** Attacks of a page; each success would leave a mark on the top window. */
export function hostile() {
  const mark = (name) => `try{top.ranInBook=(top.ranInBook||[]).concat('${name}')}catch(e){}`;
  const body = `<h1>Trap</h1><p id="end">Read me, I am harmless.</p>
<script>${mark('inline')}</script><script src="evil.js"></script>
<img src="nothing.png" alt="" onerror="${mark('onerror')}"/>
<iframe srcdoc="&lt;script&gt;${mark('srcdoc').replaceAll("'", '&#39;')}&lt;/script&gt;"></iframe>
<iframe src="inner.xhtml"></iframe><object data="inner.xhtml" type="application/xhtml+xml"></object>
<embed src="picture.svg" type="image/svg+xml"/>
<svg xmlns="http://www.w3.org/2000/svg" width="10" height="10" onload="${mark('svg')}"><script>${mark('svg script')}</script></svg>
<details open="open" ontoggle="${mark('toggle')}"><summary>More</summary></details>
<input autofocus="autofocus" onfocus="${mark('focus')}"/>
<p><a id="bait" href="javascript:${encodeURIComponent(mark('link'))}">Press me</a></p>
<form id="form" action="/api/v1/auth/logout" method="post"><button id="send">Send</button></form>
<img src="http://tracker.invalid/pixel.gif" alt=""/>`;
  const head = `<meta http-equiv="refresh" content="0;url=javascript:${encodeURIComponent(mark('refresh'))}"/><link rel="prefetch" href="http://tracker.invalid/next"/><style>@import url("http://tracker.invalid/style.css"); h1 { background: url("http://tracker.invalid/dot.png") }</style>`;
  return epub({
    title: 'The Trap',
    head,
    chapters: [
      ['Trap', body],
      ['After', '<p>Nothing happened.</p>'],
    ],
    extra: [
      ['evil.js', mark('file'), 'text/javascript'],
      ['inner.xhtml', page('Inner', `<script>${mark('inner')}</script>`), 'application/xhtml+xml'],
      [
        'picture.svg',
        `<svg xmlns="http://www.w3.org/2000/svg"><script>${mark('picture')}</script></svg>`,
        'image/svg+xml',
      ],
    ],
  });
}

/** A Mobipocket book of chapters, not packed. */
export function mobi(title, chapters) {
  const text = Buffer.from(`<html><head></head><body>${chapters.join('<mbp:pagebreak/>')}</body></html>`);
  const records = [];
  for (let at = 0; at < text.length; at += 4096) records.push(text.subarray(at, at + 4096));
  const name = Buffer.from(title);
  const length = 248;
  const head = Buffer.alloc(16 + length);
  head.writeUInt16BE(1, 0); // stored
  head.writeUInt32BE(text.length, 4);
  head.writeUInt16BE(records.length, 8);
  head.writeUInt16BE(4096, 10);
  head.write('MOBI', 16);
  for (const [at, value] of [
    [20, length],
    [24, 2],
    [28, 65001],
    [36, 6],
    [84, head.length],
    [88, name.length],
    [92, 0x409],
    [108, records.length + 1],
    [244, 0xffffffff],
    [252, 0xffffffff],
  ]) {
    head.writeUInt32BE(value, at);
  }
  const all = [Buffer.concat([head, name, Buffer.alloc(4)]), ...records];
  const front = Buffer.alloc(78 + all.length * 8 + 2);
  front.write('book');
  front.write('BOOKMOBI', 60);
  front.writeUInt16BE(all.length, 76);
  let at = front.length;
  for (const [index, record] of all.entries()) {
    front.writeUInt32BE(at, 78 + index * 8);
    front.writeUInt32BE(index * 2, 82 + index * 8);
    at += record.length;
  }
  return Buffer.concat([front, ...all]);
}

/** A FictionBook of `[title, paragraphs]` sections. */
export const fb2 = (title, sections) => `<?xml version="1.0" encoding="UTF-8"?>
<FictionBook xmlns="http://www.gribuser.ru/xml/fictionbook/2.0" xmlns:l="http://www.w3.org/1999/xlink">
<description><title-info><genre>prose</genre><author><first-name>Nobody</first-name><last-name>Known</last-name></author><book-title>${title}</book-title><lang>en</lang></title-info><document-info><id>${title}</id><version>1.0</version></document-info></description>
<body>${sections.map(([label, body]) => `<section><title><p>${label}</p></title>${body}</section>`).join('')}</body></FictionBook>`;

/** Attacks in a page of a Mobipocket book or a FictionBook. */
export const trap = (mark) => `<p>Read me, I am harmless.</p>
<script>try{top.ranInBook=['${mark}']}catch(e){}</script>
<img src="x" onerror="top.ranInBook=['${mark} image']"/><image l:href="http://tracker.invalid/${mark}.png" xmlns:l="http://www.w3.org/1999/xlink"/>
<iframe src="javascript:top.ranInBook=['${mark} frame']"></iframe>
<p><a id="bait" href="javascript:top.ranInBook=['${mark} link']" l:href="javascript:top.ranInBook=['${mark} link']" xmlns:l="http://www.w3.org/1999/xlink">Press me</a></p>
<img src="http://tracker.invalid/${mark}.gif"/>`;

/** A picture of one colour. */
function png(width, height, [red, green, blue]) {
  const row = Buffer.alloc(1 + width * 3);
  for (let x = 0; x < width; x += 1) row.set([red, green, blue], 1 + x * 3);
  const chunk = (name, body) => {
    const content = Buffer.concat([Buffer.from(name), body]);
    const framed = Buffer.alloc(content.length + 8);
    framed.writeUInt32BE(body.length, 0);
    content.copy(framed, 4);
    framed.writeUInt32BE(crc32(content), content.length + 4);
    return framed;
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head.set([8, 2, 0, 0, 0], 8);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', head),
    chunk('IDAT', deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

/** Eight pages from right to left; the fourth is as wide as two. */
export function comic() {
  const pages = Array.from({ length: 8 }, (_, index) => [
    `page ${index + 1}.png`,
    png(index === 3 ? 640 : 320, 480, [40 + index * 25, 90, 200 - index * 20]),
  ]);
  const info =
    '<?xml version="1.0"?><ComicInfo><Title>The Backward Tide</Title><Manga>YesAndRightToLeft</Manga></ComicInfo>';
  return zip([['ComicInfo.xml', info], ...pages]);
}

/** A PDF with one line of text per page and an outline; the page height is a parameter. */
export function pdf(lines, height = 842, strokes = 0) {
  const objects = [];
  const add = (body) => objects.push(body);
  const pageId = (index) => 5 + index * 2;
  const headingId = (index) => 5 + lines.length * 2 + index;
  add('<< /Type /Catalog /Pages 2 0 R /Outlines 4 0 R >>');
  add(
    `<< /Type /Pages /Count ${lines.length} /Kids [${lines.map((_, index) => `${pageId(index)} 0 R`).join(' ')}] >>`,
  );
  add('<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>');
  add(
    `<< /Type /Outlines /First ${headingId(0)} 0 R /Last ${headingId(lines.length - 1)} 0 R /Count ${lines.length} >>`,
  );
  for (const [index, line] of lines.entries()) {
    const words = `BT /F1 24 Tf 72 ${Math.min(700, height - 40)} Td (${line}) Tj ET`;
    const drawing = Array.from(
      { length: strokes },
      (_, at) => `0 ${at % height} m 595 ${(at * 7) % height} l S`,
    );
    const content = [words, ...drawing].join('\n');
    add(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 ${height}] /Contents ${pageId(index) + 1} 0 R /Resources << /Font << /F1 3 0 R >> >> >>`,
    );
    add(`<< /Length ${content.length} >>\nstream\n${content}\nendstream`);
  }
  for (const [index, line] of lines.entries()) {
    const next = index + 1 < lines.length ? `/Next ${headingId(index + 1)} 0 R` : '';
    const previous = index > 0 ? `/Prev ${headingId(index - 1)} 0 R` : '';
    add(`<< /Title (${line}) /Parent 4 0 R /Dest [${pageId(index)} 0 R /Fit] ${next} ${previous} >>`);
  }
  let text = '%PDF-1.4\n';
  const offsets = objects.map((body, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${body}\nendobj\n`;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const xref = text.length;
  const count = objects.length + 1;
  text += `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join('')}trailer\n<< /Size ${count} /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  return Buffer.from(text, 'latin1');
}
