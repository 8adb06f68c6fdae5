// Problems: everything that is not well, the worst first, with its deepest cause and what can be done.

import { h, badge, number, span, objectLink, pager } from './dom.js';

function problem({ object, level, text, cause, since, origin, advice }, at) {
  return h('li', { class: level.toLowerCase(), 'data-key': `${object.type} ${object.namespace}/${object.name}` },
    h('p', {}, badge(level, text || level.toLowerCase()), ' ', object.kind, ' ',
      objectLink(object.type, object.namespace, object.name),
      since ? h('span', { class: 'muted' }, ` for ${span(Math.max(0, at - since))}`) : null),
    h('p', { class: 'cause' }, cause || 'It does not tell why.'),
    origin ? h('p', { class: 'muted' }, `The cause is ${origin.kind} `,
      objectLink(origin.type, origin.namespace, origin.name), '.') : null,
    h('p', { class: 'next' }, h('span', { class: 'muted' }, `For ${advice.who}:`), h('code', {}, advice.command),
      h('button', { type: 'button', class: 'quiet', 'data-do': JSON.stringify({ copy: advice.command }),
        'aria-label': `Copy ${advice.command}` }, 'Copy')));
}

export default {
  title: () => 'Problems',
  source: params => ({ view: 'problems', query: params }),

  clicked({ copy }) {
    navigator.clipboard?.writeText(copy);
  },

  render(page, { params, at }) {
    if (!page.count && !params.text) {
      return [h('h1', { class: 'unseen' }, 'Problems'), h('div', { class: 'calm' },
        h('div', { class: 'mark', 'aria-hidden': 'true' }, '✓'), h('p', { class: 'lead' }, 'All is well.'),
        h('p', { class: 'muted' }, `${number(page.objects)} objects are as they should be, or on their way.`))];
    }
    return [
      h('div', { class: 'title' }, h('h1', {}, 'Problems'),
        badge('DEGRADED', page.count === 1 ? '1 problem' : `${number(page.count)} problems`)),
      h('form', { class: 'filter', 'data-filter': 'problems', 'data-key': 'filter' },
        h('label', {}, 'Name', h('input', { name: 'text', value: params.text ?? '', autocomplete: 'off',
          spellcheck: 'false' }))),
      h('ul', { class: 'problems' }, page.problems.map(one => problem(one, at))),
      pager(page, page.problems.length, '#/problems', params),
    ];
  },
};
