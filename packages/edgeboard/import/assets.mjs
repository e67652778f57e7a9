/**
 * Which paths are assets of pages rather than pages: what a browser loads by itself. Downloads such as .pdf or .mp3 are
 * not, since a visitor asks for each of them.
 */

const EXTENSIONS = new Set(
  [
    'css js mjs cjs map wasm webmanifest xsl',
    'png jpg jpeg jfif gif webp avif svg svgz ico cur bmp tif tiff apng heic heif jxl',
    'woff woff2 ttf otf eot',
  ].flatMap((names) => names.split(' ')),
);

/** @param {string} path */
export function isAsset(path) {
  const extension = /\.([a-z0-9]+)$/i.exec(path)?.[1];
  return extension !== undefined && EXTENSIONS.has(extension.toLowerCase());
}
