// Why: for each of the last writes the chain event → key → sync → decision → write → answer.

import { h, badge, number, span, clock, objectLink } from './dom.js';

function link(event) {
  const object = /^(add|update|delete) of (\S+) (?:([^/\s]+)\/)?(\S+) at version (\S*)$/.exec(event);
  return object
    ? [`${object[1]} of ${object[2]} `, objectLink(object[2], object[3] ?? '', object[4]),
      h('span', { class: 'muted' }, ` at ${object[5]}`)]
    : event;
}

function step(name, ...content) {
  return h('div', { class: 'step' }, h('dt', {}, name), h('dd', {}, ...content));
}

/** One write with its chain. */
export function chain(write) {
  const failed = write.code >= 400 || !write.code;
  return h('li', { 'data-key': `w${write.number}`, class: `chain ${failed ? 'bad' : ''}` },
    h('p', { class: 'chain-head' }, h('span', { class: 'muted mono' }, clock(write.at)), ' ',
      h('b', {}, write.controller), ' ',
      h('span', { class: 'verb' }, write.verb.replaceAll('_', ' ')), ` ${write.resource} `,
        objectLink(write.resource, write.namespace, write.name)),
    h('dl', {},
      step('event', link(write.event), write.furtherEvents ? h('span', { class: 'muted' },
        `, and ${number(write.furtherEvents)} further`) : null),
      step('key', h('span', { class: 'mono' }, write.key), ' ', h('span', { class: 'muted one' },
        `waited ${span(write.waitedMillis)}`)),
      step('sync', h('span', { class: 'muted' }, `began at ${clock(write.began)}`)),
      step('decision', h('strong', {}, write.why || 'no reason given')),
      step('answer', failed ? badge('DEGRADED', write.code ? `${write.code}` : 'none') : badge('HEALTHY', `${write.code}`),
        ' ', h('span', { class: 'muted one' }, `after ${span(write.tookMillis)}`),
          failed || !write.answer ? null : [' ', h('span', { class: 'muted one' }, `version ${write.answer}`)],
        failed ? h('p', { class: 'why' }, write.answer) : null)));
}

export default {
  title: () => 'Why',
  source: params => ({ view: 'writes', query: { limit: 100, ...params } }),

  render({ writes, journal }, { params }) {
    const next = writes.length === 100 ? writes[writes.length - 1].number : null;
    return [
      h('div', { class: 'title' }, h('h1', {}, 'Why')),
      h('p', { class: 'lead' }, 'Each write has a chain of causes. ',
        h('span', { class: 'muted' },
          `The journal keeps ${number(journal.kept)} of ${number(journal.last)} writes, `,
          `in ${number(Math.round(journal.bytes / 1024))} KB.`)),
      h('form', { class: 'filter', 'data-filter': 'why', 'data-key': 'filter' },
        h('label', {}, 'Object', h('input',
          { name: 'object', value: params.object ?? '', placeholder: 'default/web', autocomplete: 'off',
          spellcheck: 'false' })),
        h('label', {}, 'Controller', h('select', { name: 'controller' }, h('option', { value: '' }, 'all'),
          Object.keys(journal.writes).map(name => h('option', { value: name, selected: name === params.controller },
            name))))),
      params.before ? h('p', {}, h('a',
        { href: `#/why?${new URLSearchParams({ ...params, before: '' })}`.replace(/&?before=/, '') },
        '← the newest writes')) : null,
      writes.length ? h('ol', { class: 'chains' }, writes.map(chain)) : h('p', { class: 'note' }, 'No write matches.'),
      next ? h('p', {},
        h('a', { href: `#/why?${new URLSearchParams({ ...params, before: next })}` }, 'older writes →')) : null,
    ];
  },
};
