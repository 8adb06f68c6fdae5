// Objects: a list of one type, and one object with its owners, dependents, timeline, plan and writes.

import { h, badge, number, span, clock, objectLink, pager } from './dom.js';
import { read } from './wire.js';
import { chain } from './why.js';
import { timeline } from './timeline.js';
import { letterOf } from './keys.js';

const SPANS = [['2 min', 120_000], ['10 min', 600_000], ['1 h', 3_600_000]];
const FIRST = ['deployments.apps', 'statefulsets.apps', 'daemonsets.apps', 'jobs.batch', 'cronjobs.batch',
  'replicasets.apps', 'pods', 'nodes', 'namespaces'];

function button(text, wanted, label) {
  return h('button', { type: 'button', 'data-do': JSON.stringify(wanted), 'aria-label': label }, text);
}

/** The milliseconds of a duration such as PT9M49.1S. */
function millis(text) {
  const [, hours = 0, minutes = 0, seconds = 0] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:([\d.]+)S)?$/.exec(text) ?? [];
  return (hours * 3600 + minutes * 60 + Number(seconds)) * 1000;
}

const age = (created, at) => created ? span(Math.max(0, at - created)) : '';

/** The object of a row or a page, for its keys and buttons. */
const subject = ({ type, kind, namespace, name }, changes) => JSON.stringify({ type, kind, namespace, name, changes });

function cell(title, text) {
  return h('td', { class: title === 'Images' ? 'images' : null }, title === 'Node' && text
    ? objectLink('nodes', '', text) : text);
}

function row({ node, cells, changes }, { type, titles }, at) {
  return h('tr', { 'data-key': `${node.type} ${node.namespace}/${node.name}`, 'data-object': subject(node, changes) },
    h('th', { scope: 'row' }, objectLink(node.type, node.namespace, node.name)),
    type === 'all' ? h('td', {}, node.type) : null,
    h('td', {}, badge(node.state.level, node.state.text)),
    cells.map((text, i) => cell(titles[i], text)),
    h('td', { class: 'muted one' }, age(node.created, at)));
}

export const objects = {
  title: () => 'Objects',
  source: params => ({ view: 'objects', query: { type: 'deployments.apps', ...params } }),

  entered({ memory, redraw }) {
    read('types').then(({ types, namespaces }) => {
      const rank = type => FIRST.includes(type) ? FIRST.indexOf(type) : FIRST.length;
      memory.types = types.filter(type => type.count > 0 || FIRST.includes(type.type)).sort((a, b) =>
        rank(a.type) - rank(b.type) || a.type.localeCompare(b.type));
      memory.namespaces = namespaces;
      redraw();
    }, () => {});
  },

  render(data, { params, memory, me, at }) {
    const types = [{ type: 'all', count: -1 }, ...memory.types ?? [{ type: data.type, count: data.count }]];
    return [
      h('div', { class: 'title' }, h('h1', {}, 'Objects')),
      h('p', { class: 'lead' }, 'The objects in the caches of this process, the worst first.'),
      h('form', { class: 'filter', 'data-filter': 'objects', 'data-key': 'filter' },
        h('label', {}, 'Type', h('select', { name: 'type' }, types.map(({ type, count }) =>
          h('option', { value: type, selected: type === data.type }, type === 'all' ? 'all types'
            : count >= 0 ? `${type} (${number(count)})` : type)))),
        h('label', {}, 'Namespace', h('input',
          { name: 'namespace', value: params.namespace ?? '', placeholder: 'all', autocomplete: 'off',
          spellcheck: 'false', list: 'namespaces' })),
        h('datalist', { id: 'namespaces' }, (memory.namespaces ?? []).map(name => h('option', { value: name }))),
        h('label', {}, 'Name', h('input', { name: 'text', value: params.text ?? '', autocomplete: 'off',
          spellcheck: 'false' }))),
      data.count ? h('div', { class: 'scroll', 'data-key': 'list', tabindex: '0', role: 'region',
        'aria-label': 'List of objects' },
        h('table', { class: 'objects' }, h('caption', { class: 'unseen' }, data.type),
        h('thead', {}, h('tr', {}, ['Name', data.type === 'all' ? 'Type' : null, 'State', ...data.titles, 'Age']
          .filter(Boolean).map(title => h('th', { scope: 'col' }, title)))),
        h('tbody', {}, data.objects.map(one => row(one, data, at)))))
        : h('div', { class: 'note' }, h('p', {},
          `There are no objects of ${data.type}${params.text ? ' with this name' : ''}.`),
          me?.embedded && me.writable && data.type === 'deployments.apps'
            ? button('Create a Deployment to play with', { path: 'demo', do: 'create' }) : null),
      pager(data, data.objects.length, '#/objects', params),
    ];
  },
};

function tree(group, at) {
  return h('li', { 'data-key': group.type },
    h('p', { class: 'group' }, h('b', {}, `${number(group.count)} ${group.type}`), ' ',
      Object.entries(group.states).map(([level, count]) => [badge(level, number(count)), ' '])),
    h('ul', {}, group.members.map(node => h('li', { 'data-key': node.name }, objectLink(node.type, node.namespace,
      node.name, node.name), ' ', badge(node.state.level, node.state.text),
      h('span', { class: 'muted small' }, ` ${age(node.created, at)}`),
        node.dependents.length ? h('ul', {}, node.dependents.map(inner => tree(inner, at))) : null)),
    group.count > group.members.length ? h('li', { class: 'muted', 'data-key': 'rest' },
      `and ${number(group.count - group.members.length)} more`) : null));
}

function demo({ object: node }, me) {
  if (!me?.embedded || !me.writable || node.type !== 'deployments.apps') {
    return null;
  }
  const wanted = verb => ({ path: 'demo', do: verb, namespace: node.namespace, name: node.name });
  return h('div', { class: 'demo', role: 'group', 'aria-label': 'Demonstrations' }, h('span', {}, 'Make a rollout'),
    ['slow', 'flaky', 'stuck'].map(verb => button(verb, wanted(verb), `Make a rollout ${verb}`)), h('span', {}, 'or'),
      button('well again', wanted('well'), 'Make a rollout well again'));
}

/** Plans that write nothing: of an object that is not well, they say what it waits for, and until when. */
function rest({ level, cause, text }, plans, at) {
  if (['HEALTHY', 'SUSPENDED'].includes(level)) {
    return h('p', {}, badge('HEALTHY', 'nothing is left to do'));
  }
  const again = Math.min(...plans.flatMap(one => one.actions).map(action => millis(action.after)));
  return h('p', {}, badge(level, 'nothing can be done now'), h('span', { class: 'why' }, ` It waits: ${cause || text}`),
    again < Infinity ? h('span', { class: 'muted' }, ` Its controller looks again at ${clock(at + again)}.`) : null);
}

function plan(plans, state, at) {
  if (!plans) {
    return h('p', { class: 'muted' }, 'The controllers are being asked.');
  }
  const busy = plans.filter(one => one.problem || one.actions.some(action => !action.after));
  if (!busy.length) {
    return plans.length ? rest(state, plans, at) : h('p', {}, badge('HEALTHY', 'no controller plans for it'));
  }
  return h('ul', { class: 'plain' }, busy.map(one => h('li', {}, h('b', {}, one.controller),
    one.problem ? h('p', { class: 'why' }, one.problem) : h('ul', {}, one.actions.map(step)))));
}

/** One action of a plan. */
function step(action) {
  const after = action.after ? `in ${span(millis(action.after))}` : null;
  const why = action.why ?? action.message;
  return h('li', {}, h('span', { class: 'verb' }, action.action.replaceAll('_', ' ')),
    ` ${[action.resource, action.target, action.reason, after].filter(Boolean).join(' ')}`,
    why ? h('span', { class: 'muted' }, `: ${why}`) : null);
}

function events(lines, most) {
  return h('ul', { class: 'plain' }, lines.slice(0, most).map(event =>
    h('li', { class: event.type === 'Warning' ? 'bad' : '' },
    h('span', { class: 'muted mono' }, `${clock(event.at)} `), h('b', {}, event.reason),
    ` ${event.message}`, event.count > 1 ? h('span', { class: 'muted' }, ` × ${number(event.count)}`) : null)));
}

const to = (params, more) => `#/object?${new URLSearchParams({ ...params, ...more })}`;

/** The links to the parts of an object, and the buttons that change it, each with its key. */
function actions({ object: node, changes, containers }, { type, namespace = '', name, show }) {
  const params = { type, namespace, name };
  const parts = [['Overview', null], ['YAML', 'yaml', 'y'], ['Events', 'events', 'e'],
    containers.length ? ['Logs', 'logs', 'l'] : null].filter(Boolean);
  return h('div', { class: 'actions', 'data-key': 'actions', 'data-object': subject(node, changes) },
    h('nav', { 'aria-label': 'Parts of the object' }, parts.map(([text, part, key]) =>
      h('a', { href: to(params, part ? { show: part } : {}), 'aria-current': (show ?? null) === part ? 'page' : null },
        text, key ? [' ', h('kbd', {}, key)] : null))),
    changes.length ? h('div', { class: 'buttons', role: 'group', 'aria-label': 'Changes' }, changes.map(verb =>
      h('button', { type: 'button', 'data-change': verb }, verb, ' ', h('kbd', {}, letterOf(verb))))) : null);
}

/** The text of an answer that is asked for once; the reason if there is none. */
function text({ problem, yaml, log }) {
  return problem ? h('p', { class: 'note bad', role: 'alert' }, problem)
    : h('pre', { class: yaml ? 'text' : 'text log', tabindex: '0' },
      yaml ?? (log || 'The container has printed nothing.'));
}

const PARTS = {
  yaml: (data, { memory }) => !memory.yaml ? h('p', { class: 'muted' }, 'The API server is being asked.')
    : [text(memory.yaml), memory.yaml.managed ? h('details', { 'data-key': 'managed' },
      h('summary', {}, 'Managed fields'), h('pre', { class: 'text', tabindex: '0' }, memory.yaml.managed)) : null],
  events: data => data.events.length ? events(data.events) : h('p', { class: 'note' }, 'There are no Events about it.'),
  logs: ({ containers }, { memory, params }) => [
    containers.length > 1 ? h('p', {}, 'Container: ', containers.map(container => [h('a', { href: to(params,
      { container }), 'aria-current': container === (params.container ?? containers[0]) ? 'true' : null }, container),
      ' '])) : null,
    memory.log ? text(memory.log) : h('p', { class: 'muted' }, 'The node is being asked.')],
};

/** Reads the log again and again while it is shown. */
async function follow(context, container) {
  const { type, namespace = '', name } = context.params;
  while (context.isShown()) {
    if (!document.hidden) {
      context.memory.log = await read('logs', { type, namespace, name, container }).catch(({ message }) =>
        ({ problem: message }));
      context.redraw();
    }
    await new Promise(resolve => setTimeout(resolve, 2000));
  }
}

export const object = {
  title: params => params.name ?? 'Object',
  source: params => ({ view: 'object', query: params }),

  entered({ memory }) {
    memory.plans = null;
    memory.planned = null;
    memory.yaml = null;
    memory.log = null;
    memory.follows = false;
  },

  arrived(data, at, context) {
    const { memory, params } = context;
    const { type, namespace = '', name, show, container } = params;
    if (show === 'logs' && !memory.follows) {
      memory.follows = true;
      follow(context, container ?? data.containers[0] ?? '');
    }
    // A plan and the YAML are read from the API server, so they are asked for only when the object has changed.
    if (memory.planned !== data.version) {
      memory.planned = data.version;
      const wanted = show === 'yaml' ? 'yaml' : 'plan';
      read(wanted, { type, namespace, name }).then(answer => {
        memory.plans = answer.plans;
        memory.yaml = wanted === 'yaml' ? answer : null;
        context.redraw();
      }, ({ message }) => {
        memory.yaml = { problem: message };
        context.redraw();
      });
    }
  },

  clicked(wanted, { memory }) {
    memory.span = wanted.span;
  },

  render(data, context) {
    const { me, memory, params, at } = context;
    const node = data.object;
    const part = PARTS[params.show];
    return [
      h('p', { class: 'crumbs' }, h('a', { href: `#/objects?${new URLSearchParams({ type: node.type })}` }, node.type),
        data.owners.map(owner => [' › ', objectLink(owner.type, owner.namespace, owner.name, owner.name)])),
      h('div', { class: 'title', 'data-object': subject(node, data.changes) },
        h('h1', { class: 'break' }, node.name), badge(node.state.level, node.state.text)),
      node.state.cause ? h('p', { class: 'why' }, node.state.cause) : null,
      h('p', { class: 'lead' },
        `${node.kind}${node.namespace ? ` in ${node.namespace}` : ''}, ${age(node.created, at)} old. `,
        h('span', { class: 'muted' }, Object.entries(data.labels).map(([key, value]) => `${key}=${value}`).join('  '))),
      actions(data, params),
      ...part ? [part(data, context)] : overview(data, me, memory, at),
    ];
  },
};

function overview(data, me, memory, at) {
  const node = data.object;
  const width = Math.max(300, document.getElementById('main').clientWidth - (window.innerWidth < 700 ? 0 : 34));
  const chosen = memory.span ?? (120_000);
  return [
    demo(data, me),
    data.sets.length ? h('section', { class: 'card', 'data-key': 'rollout', 'aria-labelledby': 'rollout' },
      h('div', { class: 'title' }, h('h2', { id: 'rollout' }, 'Rollout'),
        h('div', { class: 'buttons', role: 'group', 'aria-label': 'Time that is shown' },
        SPANS.map(([name, millis]) => h('button', { type: 'button', 'data-do': JSON.stringify({ span: millis }),
          'aria-pressed': String(millis === chosen) }, name)))),
      timeline(data, at, chosen, width)) : null,
    h('div', { class: 'halves' },
      h('section', { class: 'card', 'data-key': 'tree', 'aria-labelledby': 'tree' },
        h('h2', { id: 'tree' }, 'Dependents'),
        node.dependents.length ? h('ul', { class: 'tree' }, node.dependents.map(group => tree(group, at)))
          : h('p', { class: 'muted' }, 'Nothing depends on it.')),
      h('div', { class: 'stack' },
        h('section', { class: 'card', 'data-key': 'plan', 'aria-labelledby': 'plan' },
          h('h2', { id: 'plan' }, 'What would be done now'), plan(memory.plans, node.state, at)),
        data.conditions.length ? h('section', { class: 'card', 'data-key': 'conditions',
          'aria-labelledby': 'conditions' }, h('h2', { id: 'conditions' }, 'Conditions'),
          h('ul', { class: 'plain' }, data.conditions.map(condition =>
            h('li', {}, h('b', {}, condition.type), ` is ${condition.status}`,
            condition.reason ? ` (${condition.reason})` : '', h('span', { class: 'muted' },
            ` ${condition.message} ${condition.at ? clock(condition.at) : ''}`))))) : null,
        data.events.length ? h('section', { class: 'card', 'data-key': 'events', 'aria-labelledby': 'events' },
          h('h2', { id: 'events' }, 'Events'),
          events(data.events, 12)) : null)),
    h('section', { 'data-key': 'writes', 'aria-labelledby': 'writes' },
      h('h2', { id: 'writes' }, 'Writes and their causes'),
      data.writes.length ? h('ol', { class: 'chains' }, data.writes.map(write => chain(write, me)))
        : h('p', { class: 'note' }, 'The journal has no write about it.')),
  ];
}
