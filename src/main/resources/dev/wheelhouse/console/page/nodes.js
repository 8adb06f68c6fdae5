// Nodes and the sources of their pods: files, URLs, the API server; refused manifests; mirror pods.

import { h, badge, number, clock, objectLink, keyLink, pager } from './dom.js';

const KINDS = { file: 'file', http: 'URL', api: 'API server' };

function source(source) {
  const refused = source.refusals.filter(refusal => refusal.current);
  return h('section', { class: `source ${source.failure || refused.length ? 'bad' : ''}`, 'data-key': source.name },
    h('h3', {}, KINDS[source.name] ?? source.name, ' ', source.failure ? badge('DEGRADED', 'fails') : source.seen
      ? badge('HEALTHY', `${number(source.pods)} pods`) : badge('PROGRESSING', 'nothing seen yet')),
    source.from ? h('p', { class: 'mono break small' }, source.from) : null,
    source.lastRead ? h('p', { class: 'muted small' }, `read at ${clock(source.lastRead)}`) : null,
    source.failure ? h('p', { class: 'why' }, source.failure) : null,
    source.staticPods.length ? h('ul', { class: 'plain small' },
      source.staticPods.map(pod => h('li', {}, h('span', { class: 'mono' },
      keyLink(pod.name, pod.mirror ? 'pods' : null)), ' ',
      pod.mirror ? badge('HEALTHY', 'mirrored') : badge('PROGRESSING', 'no mirror')))) : null,
    source.refusals.length ? h('ul', { class: 'plain small refusals' },
      source.refusals.slice(0, 10).map(refusal => h('li', { class: refusal.current ? 'bad' : 'muted' },
      refusal.current ? badge('DEGRADED', 'refused') : h('span', { class: 'badge' }, 'was refused'), ' ',
        h('span', { class: 'muted' }, `${clock(refusal.at)} `), h('span', { class: 'mono break' }, refusal.where), ': ',
        refusal.problem))) : null);
}

function card(node) {
  return h('article', { class: 'card node', 'data-key': node.name },
    h('h2', {}, objectLink('nodes', '', node.name), ' ', badge(node.state.level, node.state.text),
      node.pods === null ? null : h('small', {}, `${number(node.pods)} pods`)),
    node.sources.length ? h('div', { class: 'sources' }, node.sources.map(source))
      : h('p', { class: 'muted' }, 'This node is not part of this process.'));
}

export default {
  title: () => 'Nodes and pod sources',
  source: params => ({ view: 'nodes', query: params }),

  render(page, { params }) {
    return [
      h('div', { class: 'title' }, h('h1', {}, 'Nodes and pod sources'),
        page.notReady ? badge('DEGRADED', `${page.notReady} not ready`) : badge('HEALTHY', `${number(page.count)} ready`)),
      h('p', { class: 'lead' }, 'A node merges the pods of its sources: files, a URL and the API server. ',
        h('span', { class: 'muted' }, 'A pod from a file or a URL has a mirror on the API server.')),
      h('form', { class: 'filter', 'data-filter': 'nodes', 'data-key': 'filter' },
        h('label', {}, 'Name', h('input', { name: 'text', value: params.text ?? '', autocomplete: 'off' }))),
      h('div', { class: 'cards' }, page.nodes.map(card)),
      pager(page, page.nodes.length, '#/nodes', params),
    ];
  },
};
