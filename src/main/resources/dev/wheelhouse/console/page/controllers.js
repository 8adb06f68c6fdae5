// Each controller: its workers and queues, running syncs, failing keys, and the changes that the caller may make.

import { h, badge, number, span, clock, keyLink } from './dom.js';

const byName = controllers => controllers.toSorted((a, b) => a.summary.name.localeCompare(b.summary.name));

function button(text, wanted, label) {
  return h('button', { type: 'button', 'data-do': JSON.stringify({ path: 'controllers', ...wanted }),
    'aria-label': label }, text);
}

function state({ summary }) {
  if (summary.mode === 'PAUSED') {
    return badge('PROGRESSING', 'paused');
  }
  if (summary.mode === 'DRAINING') {
    return badge('PROGRESSING', 'drains');
  }
  if (summary.failing) {
    return badge('DEGRADED', summary.failing === 1 ? '1 key fails' : `${number(summary.failing)} keys fail`);
  }
  return ['running', 'observing'].includes(summary.doing) && !summary.problem ? badge('HEALTHY', summary.doing)
    : badge('PROGRESSING', summary.doing);
}

function field(id, label, name, value, attributes) {
  return h('label', { for: id }, label, h('input',
    { id, name, type: 'number', value: String(value), required: true, ...attributes }));
}

function controls({ summary, queues }) {
  const name = summary.name;
  const limits = queues[0];
  return h('div', { class: 'controls', role: 'group', 'aria-label': `Changes of ${name}` },
    h('div', { class: 'buttons' },
      summary.mode === 'RUNNING'
        ? [button('Pause', { controller: name, do: 'pause' }, `Pause ${name}`),
          button('Drain', { controller: name, do: 'drain' }, `Drain ${name}`)]
        : button('Resume', { controller: name, do: 'resume' }, `Resume ${name}`),
      summary.failing ? button('Retry all now', { controller: name, do: 'retry' },
        `Retry all failing keys of ${name} now`) : null),
    h('form', { class: 'inline', 'data-key': 'workers',
      'data-do': JSON.stringify({ path: 'controllers', controller: name, do: 'workers' }) },
      field(`workers-${name}`, 'Workers', 'count', summary.workers, { min: 1, max: 1000 }),
        h('button', { type: 'submit' }, 'Set')),
    limits ? h('form', { class: 'inline', 'data-key': 'limits',
      'data-do': JSON.stringify({ path: 'controllers', controller: name, do: 'limit' }) },
      field(`first-${name}`, 'First delay, ms', 'firstMillis', limits.firstMillis, { min: 0 }),
      field(`longest-${name}`, 'Longest delay, ms', 'longestMillis', limits.longestMillis, { min: 0 }),
      field(`rate-${name}`, 'Retries a second', 'perSecond', limits.perSecond, { min: 0.01, step: 'any' }),
      field(`burst-${name}`, 'Burst', 'burst', limits.burst, { min: 1 }), h('button', { type: 'submit' }, 'Set'))
        : null);
}

function failing(name, keys, me, at) {
  return h('div', { class: 'scroll', tabindex: '0', role: 'region', 'aria-label': `Failing keys of ${name}` },
    h('table', { class: 'failing' }, h('caption', {}, 'Failing keys'),
    h('thead', {}, h('tr', {}, ['Key', 'Since', 'Failures', 'Next try', 'Last error'].map(title =>
      h('th', { scope: 'col' }, title)),
      me?.writable ? h('th', { scope: 'col' }, h('span', { class: 'unseen' }, 'Changes')) : null)),
    h('tbody', {}, keys.map(key => h('tr', { 'data-key': key.key },
      h('th', { scope: 'row', class: 'mono' }, keyLink(key.key, me?.keys?.[name])),
        h('td', { 'data-label': 'since' }, clock(key.since)),
        h('td', { 'data-label': 'failures' }, number(key.failures)),
      h('td', { class: 'one', 'data-label': 'next try' }, key.nextTry ? `in ${span(Math.max(0, key.nextTry - at))}`
        : 'not delayed'), h('td', { class: 'error' }, key.error),
      me?.writable ? h('td', { class: 'one' }, button('Retry now', { controller: name, do: 'retry', key: key.key },
        `Retry ${key.key} now`)) : null)))));
}

function running(syncs, type) {
  return h('div', {}, h('h3', {}, 'Running syncs'), h('ul', { class: 'plain' },
    syncs.slice(0, 20).map(sync => h('li', {},
    h('span', { class: 'mono' }, keyLink(sync.key, type)), h('span', { class: sync.millis > 1000 ? 'chip wait' : 'muted' },
      ` ${span(sync.millis)}`),
    sync.millis > 1000 ? h('span', { class: 'muted mono small' }, ` ${sync.at}`) : null))));
}

function card(controller, { me, params, at }) {
  const { summary } = controller;
  const open = params.name === summary.name || controller.failing.length > 0;
  return h('details', { class: 'card controller', 'data-key': summary.name, open },
    h('summary', {}, h('span', { class: 'name' }, summary.name), state(controller),
      h('span', { class: 'facts' },
        [`${summary.busy} of ${summary.workers} workers busy`, summary.depth && `${number(summary.depth)} ready`,
          summary.delayed && `${number(summary.delayed)} delayed`,
          summary.heldBack && `${number(summary.heldBack)} held back by a rate`, `${number(summary.taken)} syncs`,
          `${number(summary.writes)} writes`].filter(Boolean).join(' · '))),
    h('div', { class: 'inside' },
      summary.problem && summary.mode === 'RUNNING' && !controller.failing.length
        ? h('p', { class: 'why' }, summary.problem) : null,
      controller.failing.length ? failing(summary.name, controller.failing, me, at) : null,
      controller.running.length ? running(controller.running, me?.keys?.[summary.name]) : null,
      h('p', { class: 'muted' }, 'Reads ', summary.reads.map((type, i) => [i ? ', ' : '',
        h('a', { href: `#/objects?type=${type}` }, type)]), summary.reads.length ? '. ' : 'nothing yet. ',
        h('a', { href: `#/why?controller=${summary.name}` }, 'Its writes and their causes')),
      me?.writable ? controls(controller) : null));
}

export default {
  title: () => 'Controllers',
  source: () => ({ view: 'controllers' }),

  render({ controllers }, context) {
    const ill = controllers.filter(controller => controller.summary.problem);
    const well = controllers.filter(controller => !controller.summary.problem);
    return [
      h('div', { class: 'title' }, h('h1', {}, 'Controllers'), ill.length ? badge('PROGRESSING',
        `${ill.length} of ${controllers.length} need attention`) : badge('HEALTHY', `all ${controllers.length} work`)),
      h('p', { class: 'lead' }, 'Changes hold until this process ends. ', h('span', { class: 'muted' },
        context.me?.writable ? 'A paused controller finishes its running syncs and takes no further keys.'
          : 'This console is read-only: --wheelhouse.console.writable=true lets it change controllers.')),
      h('div', { class: 'cards' }, [...byName(ill), ...byName(well)].map(controller => card(controller, context))),
    ];
  },
};
