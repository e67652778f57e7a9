/**
 * Links between Markdown files, as GitHub follows them, become links between pages of the site. A link to a file that is no page
 * becomes its text.
 */
import { join, normalize } from 'node:path/posix';

import { addressOf, isPage } from './addresses.mjs';

/** @param {import('markdown-it').default} md */
export function followLinks(md) {
  md.core.ruler.push('edgeboard-links', ({ tokens, env }) => {
    for (const { children } of tokens) {
      /** Whether the link that is open leads nowhere. */
      let isDropped = false;
      for (const token of children ?? []) {
        if (token.type === 'link_open') {
          const href = followed(token.attrGet('href') ?? '', env.file);
          isDropped = href === undefined;
          if (href !== undefined) token.attrSet('href', href);
        }
        if (isDropped && token.type.startsWith('link_'))
          Object.assign(token, { type: 'text', tag: '', nesting: 0, content: '', attrs: null });
        if (token.type === 'link_close') isDropped = false;
      }
    }
  });
}

/** Where a link of a file leads on the site. @param {string} href @param {string} file below the project's folder */
function followed(href, file) {
  if (/^([a-z]+:|#|\/)/.test(href)) return href;
  const [path, heading] = href.split('#');
  const target = normalize(join(file, '..', path));
  if (isPage(target)) return `/${addressOf(target)}${heading ? `#${heading}` : ''}`;
  return target.startsWith('docs/monitoring/') ? `/${target.slice('docs/'.length)}` : undefined;
}
