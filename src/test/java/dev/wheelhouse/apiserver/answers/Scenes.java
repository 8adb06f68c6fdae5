package dev.wheelhouse.apiserver.answers;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Resources;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;

/**
 * Requests of all kinds, from a seed. A scene makes all that it needs, in a namespace of its own, so that each can be
 * sent alone.
 */
final class Scenes {
    private static final List<String> QUERIES = inputs("queries");
    private static final List<String> WATCHES = inputs("watches");
    private static final List<String> ACCEPTS = inputs("accepts");
    private static final List<String> OPTIONS = inputs("options");
    private static final List<String> DELETE_QUERIES = inputs("deleteQueries");
    private static final List<String> WRITE_QUERIES = inputs("writeQueries");
    private static final List<String> TYPES = inputs("types");
    private static final List<String> JSON_PATCHES = inputs("jsonPatches");
    private static final List<String> MERGE_PATCHES = inputs("mergePatches");

    private final List<Scene> scenes = new ArrayList<>();
    private final Map<String, ObjectNode> seeds = new LinkedHashMap<>();

    record Scene(String name, List<Probe> probes) {}

    static List<Scene> all() {
        return new Scenes().scenes;
    }

    private Scenes() {
        for (String line : Resources.text("/answers/seeds.jsonl").split("\n")) {
            ObjectNode seed = (ObjectNode) Json.read(line);
            seeds.put((seed.has("apiVersion") ? Json.text(seed, "apiVersion").split("/")[0] + " " : "")
                    + Json.text(seed, "kind"), seed);
        }
        for (ResourceInfo info : ResourceRegistry.builtIn().all()) {
            if (info.type().version().matches("v\\d+")) { // A real server serves no others unless it is told to.
                type(info);
            }
        }
        custom();
        paths();
        pods();
        subresources();
    }

    /** One list of {@code answers/inputs.yaml}. */
    private static List<String> inputs(String name) {
        return Resources.yaml("/answers/inputs.yaml").path(name).valueStream().map(JsonNode::asString).toList();
    }

    private @Nullable ObjectNode seed(ResourceType type) {
        String versioned = type.apiVersion().split("/")[0] + " " + type.kind();
        if (type.plural().equals("horizontalpodautoscalers")) {
            String line = seedLine("\"apiVersion\":\"" + type.apiVersion() + "\"");
            return (ObjectNode) Json.read(line);
        }
        return seeds.getOrDefault(versioned, seeds.get(type.kind()));
    }

    private static String seedLine(String containing) {
        for (String line : Resources.text("/answers/seeds.jsonl").split("\n")) {
            if (line.contains(containing)) {
                return line;
            }
        }
        throw new IllegalStateException(containing);
    }

    private void type(ResourceInfo info) {
        ResourceType type = info.type();
        ObjectNode template = seed(type);
        if (template == null) {
            return;
        }
        String id = type.plural() + "." + type.version() + (type.group().isEmpty() ? "" : "." + type.group());
        String unique = (type.plural().length() > 12 ? type.plural().substring(0, 12) : type.plural()) + "-"
                + Integer.toString((id.hashCode() & 0x7fffffff) % 46656, 36);
        if (info.verbs().contains("delete")) {
            life(id + " life", info, unique + "-a", template);
            queries(id + " queries", info, unique + "-b", template);
        }
        mutated(id + " mutated", info, unique + "-c", template);
    }

    private static List<Probe> start(ResourceType type, String namespace) {
        List<Probe> probes = new ArrayList<>();
        if (type.namespaced()) {
            probes.add(Probe.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"" + namespace + "\"}}"));
        }
        return probes;
    }

    private static String base(ResourceType type, String namespace) {
        return (type.group().isEmpty() ? "/api/" : "/apis/") + type.apiVersion()
                + (type.namespaced() ? "/namespaces/" + namespace : "") + "/" + type.plural();
    }

    private static ObjectNode object(ObjectNode template, ResourceType type, String namespace, String name) {
        int ip = Math.floorMod((namespace + name).hashCode(), 60000);
        String text = template.toString().replace("IPNAME", "10.77." + ip / 250 + "." + (ip % 250 + 1))
                .replace("NAMESPACE", namespace).replace("NAME", type.namespaced() ? name : namespace + "-" + name);
        ObjectNode object = (ObjectNode) Json.read(text);
        object.put("apiVersion", type.apiVersion());
        return object;
    }

    private void life(String id, ResourceInfo info, String ns, ObjectNode template) {
        ResourceType type = info.type();
        List<Probe> p = start(type, ns);
        String base = base(type, ns);
        ObjectNode one = object(template, type, ns, "one");
        String name = Json.text(one, "metadata", "name");
        String path = base + "/" + name;
        p.add(Probe.post(base, one.toString()));
        p.add(Probe.post(base, one.toString()));
        p.add(Probe.post(base + "?dryRun=All", one.toString()));
        p.add(Probe.get(path));
        p.add(Probe.get(base + "/absent"));
        p.add(Probe.get(path).method("HEAD"));
        for (String method : List.of("OPTIONS", "TRACE", "POST", "X", "get")) {
            p.add(Probe.get(path).method(method));
        }
        for (String method : List.of("PUT", "PATCH", "OPTIONS", "HEAD", "X")) {
            p.add(Probe.post(base, "{}").method(method));
        }
        p.add(Probe.get(path + "/absent"));
        p.add(Probe.get(path + "/status"));
        p.add(Probe.get(path + "/scale"));
        p.add(Probe.get(path + "?resourceVersion=x"));
        p.add(Probe.get(path + "?resourceVersion=999999999"));
        p.add(Probe.get(path + "?resourceVersion=0"));
        p.add(Probe.get(path + "?watch=true&timeoutSeconds=1&resourceVersion=1"));
        for (String accept : List.of("application/json;as=Table;g=meta.k8s.io;v=v1",
                "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
                "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "application/yaml",
                "application/vnd.kubernetes.protobuf", "text/html")) {
            p.add(Probe.get(path).accept(accept));
            p.add(Probe.get(base).accept(accept));
        }
        ObjectNode changed = object(template, type, ns, "one");
        Json.child(Json.child(changed, "metadata"), "labels").put("new", "label");
        p.add(Probe.put(path, changed.toString()));
        p.add(Probe.put(path, version(changed, "${rv " + path + "}").toString()));
        p.add(Probe.put(path, version(changed, "1").toString()));
        p.add(Probe.put(path, version(changed, "x").toString()));
        p.add(Probe.put(path, version(changed, "0").toString()));
        ObjectNode withUid = version(changed, "${rv " + path + "}");
        Json.child(withUid, "metadata").put("uid", "x");
        p.add(Probe.put(path, withUid.toString()));
        Json.child(withUid, "metadata").put("uid", "${uid " + path + "}");
        p.add(Probe.put(path, withUid.toString()));
        p.add(Probe.put(base + "/other", version(changed, "${rv " + path + "}").toString()));
        ObjectNode elsewhere = object(template, type, ns, "one");
        Json.child(elsewhere, "metadata").put("namespace", "elsewhere");
        p.add(Probe.post(base, elsewhere.toString()));
        p.add(Probe.put(path, elsewhere.toString()));
        ObjectNode created = object(template, type, ns, "one");
        Json.child(created, "metadata").put("resourceVersion", "1");
        p.add(Probe.post(base, created.toString()));
        ObjectNode unnamed = object(template, type, ns, "one");
        Json.child(unnamed, "metadata").remove("name");
        p.add(Probe.post(base, unnamed.toString()));
        p.add(Probe.put(path, unnamed.toString()));
        Json.child(unnamed, "metadata").put("generateName", "gen-");
        p.add(Probe.post(base + "?dryRun=All", unnamed.toString()));
        ObjectNode wrongKind = object(template, type, ns, "one").put("kind", "Wrong");
        p.add(Probe.post(base, wrongKind.toString()));
        p.add(Probe.post(base, object(template, type, ns, "one").put("apiVersion", "wrong/v1").toString()));
        p.add(Probe.post(base, object(template, type, ns, "one").put("apiVersion", "").toString()));
        p.add(Probe.post(base, "{}"));
        p.add(Probe.post(base, ""));
        p.add(Probe.post(base, "x"));
        p.add(Probe.post(base, "[]"));
        p.add(Probe.merge(path, "{\"metadata\": {\"annotations\": {\"a\": \"b\"}}}"));
        p.add(Probe.strategic(path, "{\"metadata\": {\"annotations\": {\"c\": \"d\"}}}"));
        p.add(Probe.json(path, "[{\"op\": \"add\", \"path\": \"/metadata/annotations/e\", \"value\": \"f\"}]"));
        p.add(Probe.merge(base + "/absent", "{}"));
        p.add(Probe.strategic(base + "/absent", "{}"));
        p.add(Probe.json(base + "/absent", "[]"));
        ObjectNode applied = object(template, type, ns, "one");
        p.add(Probe.apply(path, applied.toString()));
        p.add(Probe.apply(path + "?fieldManager=m", applied.toString()));
        p.add(Probe.apply(path + "?fieldManager=m&force=true", applied.toString()));
        p.add(Probe.apply(path + "?fieldManager=m&force=true&dryRun=All", wrongKind.toString()));
        p.add(Probe.apply(path + "?fieldManager=m&force=true&dryRun=All", unnamed.toString()));
        p.add(Probe.apply(base + "/other?fieldManager=m&dryRun=All", applied.toString()));
        for (ResourceInfo.Subresource sub : info.subresources()) {
            if (sub.kind().equals(type.kind()) && sub.verbs().contains("update")) {
                String at = path + "/" + sub.name();
                p.add(Probe.get(at));
                p.add(Probe.put(at, changed.toString()));
                p.add(Probe.put(at, version(changed, "1").toString()));
                p.add(Probe.put(at, "{}"));
                p.add(Probe.merge(at, "{\"status\": {\"conditions\": [{\"type\": \"T\", \"status\": \"True\"}]}}"));
                p.add(Probe.merge(at, "{\"status\": null}"));
                p.add(Probe.merge(at, "{\"status\": 1}"));
                p.add(Probe.strategic(at, "{\"status\": {\"conditions\": [{\"type\": \"T\", \"status\": \"x\"}]}}"));
                p.add(Probe.delete(at));
                p.add(Probe.post(at, "{}"));
                p.add(Probe.get(at + "/x"));
                p.add(Probe.merge(base + "/absent/" + sub.name(), "{}"));
                p.add(Probe.apply(at + "?fieldManager=s", applied.toString()));
            }
        }
        p.add(Probe.delete(base + "/absent"));
        p.add(Probe.delete(path, "{\"preconditions\": {\"uid\": \"x\"}}"));
        p.add(Probe.delete(path, "{\"preconditions\": {\"resourceVersion\": \"1\"}}"));
        p.add(Probe.delete(path + "?dryRun=All"));
        p.add(Probe.merge(path, "{\"metadata\": {\"finalizers\": [\"example.com/f\"]}}"));
        if (!List.of("namespaces", "customresourcedefinitions", "apiservices").contains(type.plural())) {
            p.add(Probe.delete(path + "?propagationPolicy=Foreground"));
            p.add(Probe.delete(path));
            p.add(Probe.merge(path, "{\"metadata\": {\"finalizers\": [\"example.com/f\", \"example.com/g\"]}}"));
            p.add(Probe.post(base, one.toString()));
            p.add(Probe.merge(path, "{\"metadata\": {\"finalizers\": null}}"));
            p.add(Probe.get(path));
            p.add(Probe.delete(path));
        } else {
            p.add(Probe.merge(path, "{\"metadata\": {\"finalizers\": null}}"));
            if (!type.plural().equals("namespaces")) {
                p.add(Probe.delete(path));
            }
        }
        if (type.namespaced()) {
            String foreign = base.replace("/" + ns + "/", "/absent-namespace/");
            p.add(Probe.post(foreign, object(template, type, "absent-namespace", "one").toString()));
            p.add(Probe.get(foreign));
            String all = base.replace("/namespaces/" + ns, "");
            p.add(Probe.get(all + "?limit=1"));
            p.add(Probe.post(all, one.toString()));
            p.add(Probe.delete(all));
            p.add(Probe.get(all + "/one"));
        }
        scenes.add(new Scene(id, p));
    }

    private static ObjectNode version(ObjectNode object, String version) {
        ObjectNode copy = object.deepCopy();
        Json.child(copy, "metadata").put("resourceVersion", version);
        return copy;
    }

    private void queries(String id, ResourceInfo info, String ns, ObjectNode template) {
        ResourceType type = info.type();
        List<Probe> p = start(type, ns);
        String base = base(type, ns);
        ObjectNode one = object(template, type, ns, "one");
        String path = base + "/" + Json.text(one, "metadata", "name");
        p.add(Probe.post(base, one.toString()));
        boolean much = List.of("pods", "configmaps", "nodes", "events").contains(type.plural());
        SplittableRandom random = new SplittableRandom(id.hashCode());
        for (String query : QUERIES) {
            if (much || query.startsWith("fieldSelector") || random.nextInt(8) == 0) {
                p.add(Probe.get(base + "?" + query));
            }
        }
        for (String query : WATCHES) {
            if (much || random.nextInt(16) == 0) {
                p.add(Probe.get(base + "?watch=true&"
                        + (query.contains("timeoutSeconds") ? query : query + "&timeoutSeconds=1")));
            }
        }
        for (String accept : ACCEPTS) {
            if (much || random.nextInt(12) == 0) {
                p.add(Probe.get(path).accept(accept));
                p.add(Probe.get(base + "?limit=1").accept(accept));
                p.add(Probe.get(base + "/absent").accept(accept));
                p.add(Probe.post(base + "?dryRun=All", "{}").accept(accept));
            }
        }
        for (String options : OPTIONS) {
            boolean stays = List.of("customresourcedefinitions", "persistentvolumes", "persistentvolumeclaims",
                    "volumeattributesclasses", "namespaces").contains(type.plural()); // Controllers end these.
            if (much || !stays && random.nextInt(6) == 0) {
                p.add(Probe.delete(path + "?dryRun=All", options)); // With a body the query counts for nothing.
                p.add(Probe.delete(base + "?dryRun=All&labelSelector=never", options));
                p.add(Probe.post(base, one.toString()));
            }
        }
        for (String query : DELETE_QUERIES) {
            if (much || random.nextInt(6) == 0) {
                p.add(Probe.delete(path + "?" + (query.contains("dryRun") ? query : query + "&dryRun=All")));
                p.add(Probe.delete(base + "?labelSelector=never&" + query));
            }
        }
        for (String query : List.of("labelSelector=-", "fieldSelector=x%3Dy", "resourceVersion=x", "limit=x",
                "continue=x")) {
            p.add(Probe.delete(base + "?dryRun=All&" + query));
        }
        ObjectNode two = object(template, type, ns, "two");
        for (String query : WRITE_QUERIES) {
            if (much || random.nextInt(6) == 0) {
                String dry = query.contains("dryRun") ? query : query + "&dryRun=All";
                p.add(Probe.post(base + "?" + dry, two.toString()));
                p.add(Probe.put(path + "?" + dry, one.toString()));
                p.add(Probe.merge(path + "?" + dry, "{\"metadata\": {\"labels\": {\"q\": \"r\"}}}"));
                p.add(Probe.apply(
                        path + "?force=true&" + (dry.contains("fieldManager") ? dry : dry + "&fieldManager=m"),
                        "{\"apiVersion\": \"" + type.apiVersion() + "\", \"kind\": \"" + type.kind()
                                + "\", \"metadata\": {\"name\": \"" + Json.text(one, "metadata", "name")
                                + "\", \"labels\": {\"x\": \"y\"}}}"));
            }
        }
        for (String media : TYPES) {
            if (much || random.nextInt(8) == 0) {
                p.add(Probe.post(base + "?dryRun=All", two.toString()).type(media));
                p.add(Probe.put(path + "?dryRun=All", one.toString()).type(media));
                p.add(Probe.merge(path + "?dryRun=All", "{\"metadata\": {\"labels\": {\"q\": \"r\"}}}").type(media));
                if (!type.plural().startsWith("customresource") && !type.plural().startsWith("persistent")) {
                    p.add(Probe.delete(path + "?dryRun=All", "{\"gracePeriodSeconds\": 1}").type(media));
                    p.add(Probe.post(base, one.toString()));
                }
            }
        }
        for (String patch : JSON_PATCHES) {
            if (much || random.nextInt(8) == 0) {
                p.add(Probe.json(path + "?dryRun=All" + validation(random), patch));
            }
        }
        for (String patch : MERGE_PATCHES) {
            if (much || random.nextInt(8) == 0) {
                p.add(Probe.merge(path + "?dryRun=All" + validation(random), patch));
                p.add(Probe.strategic(path + "?dryRun=All" + validation(random), patch));
                p.add(Probe.apply(path + "?dryRun=All&fieldManager=m&force=true" + validation(random), patch));
            }
        }
        if (!List.of("namespaces", "nodes").contains(type.plural())) {
            p.add(Probe.delete(path));
        }
        scenes.add(new Scene(id, p));
    }

    private static String validation(SplittableRandom random) {
        return switch (random.nextInt(4)) {
            case 0 -> "&fieldValidation=Strict";
            case 1 -> "&fieldValidation=Ignore";
            case 2 -> "&fieldValidation=Warn";
            default -> "";
        };
    }

    private void mutated(String id, ResourceInfo info, String ns, ObjectNode template) {
        ResourceType type = info.type();
        SplittableRandom random = new SplittableRandom(id.hashCode());
        Mutations mutations = new Mutations(random);
        List<Probe> p = start(type, ns);
        String base = base(type, ns);
        var schema = Schemas.ofKind(type.apiVersion(), type.kind());
        ObjectNode fresh = object(template, type, ns, "fresh");
        ObjectNode one = object(template, type, ns, "one");
        String path = base + "/" + Json.text(one, "metadata", "name");
        boolean stored = info.verbs().contains("update");
        if (stored) {
            p.add(Probe.post(base, one.toString()));
        }
        int rich = List.of("pods", "deployments", "services", "jobs", "customresourcedefinitions")
                .contains(type.plural())
                        ? 3
                        : 1;
        for (int i = 0; i < 24 * rich; i++) {
            p.add(Probe.post(base + "?dryRun=All" + validation(random), mutations.mutate(fresh, schema).toString()));
        }
        p.add(Probe.post(base + "?dryRun=All&fieldValidation=Strict", twice(fresh)));
        p.add(Probe.post(base + "?dryRun=All", twice(fresh)));
        p.add(Probe.post(base + "?dryRun=All", fresh.toString() + "x"));
        p.add(Probe.post(base + "?dryRun=All", fresh.toString().substring(0, fresh.toString().length() / 2)));
        for (int i = 0; stored && i < 8 * rich; i++) {
            ObjectNode mutant = mutations.mutate(one, schema);
            if (i % 2 == 0 && mutant.get("metadata") instanceof ObjectNode meta) {
                meta.put("resourceVersion", "${rv " + path + "}");
            }
            p.add(Probe.put(path + "?dryRun=All" + validation(random), mutant.toString()));
            String text = mutations.mutate(one, schema).toString();
            p.add(switch (i % 4) {
                case 0 -> Probe.merge(path + "?dryRun=All" + validation(random), text);
                case 1 -> Probe.strategic(path + "?dryRun=All" + validation(random), text);
                default -> Probe.apply(path + "?dryRun=All&fieldManager=m&force=true" + validation(random), text);
            });
        }
        if (stored && info.has("status")) {
            for (int i = 0; i < 6 * rich; i++) {
                ObjectNode status = Json.object();
                status.putObject("status").put("x", 1);
                ObjectNode mutant = one.deepCopy();
                mutant.putObject("status");
                mutant = mutations.mutate(mutant, schema);
                if (mutant.get("metadata") instanceof ObjectNode meta) {
                    meta.put("resourceVersion", "${rv " + path + "}");
                }
                p.add(Probe.put(path + "/status?dryRun=All" + validation(random), mutant.toString()));
            }
        }
        if (stored) {
            p.add(Probe.delete(path));
        }
        scenes.add(new Scene(id, p));
    }

    /** The object with its metadata named twice. */
    private static String twice(ObjectNode object) {
        String text = object.toString();
        return text.substring(0, text.length() - 1) + ",\"metadata\":" + object.get("metadata") + "}";
    }

    private void custom() {
        String crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
        List<Probe> p = new ArrayList<>();
        p.add(Probe.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"custom\"}}"));
        String crd = seedLine("CustomResourceDefinition").replace("NAME", "cc");
        p.add(Probe.post(crds, crd));
        for (int i = 0; i < 8; i++) {
            p.add(Probe.get(crds + "/things.cc.example.com")); // The real server establishes it after a moment.
        }
        p.add(Probe.get("/apis/cc.example.com/v1/namespaces/custom/things?WAIT"));
        String base = "/apis/cc.example.com/v1/namespaces/custom/things";
        String path = base + "/one";
        String thing = "{\"apiVersion\": \"cc.example.com/v1\", \"kind\": \"Thing\", \"metadata\": {\"name\": "
                + "\"one\"}, "
                + "\"spec\": {\"color\": \"red\", \"size\": 2, \"list\": [\"a\"]}}";
        p.add(Probe.post(base, thing));
        p.add(Probe.post(base, thing));
        List<String> bodies = inputs("customResources");
        for (String body : bodies) {
            for (String mode : List.of("", "&fieldValidation=Strict", "&fieldValidation=Ignore")) {
                p.add(Probe.post(base + "?dryRun=All" + mode, body.replace("\"one\"", "\"two\"")));
            }
            p.add(Probe.put(path + "?dryRun=All", body));
            p.add(Probe.merge(path + "?dryRun=All", body));
            p.add(Probe.merge(path + "?dryRun=All&fieldValidation=Strict", body));
            p.add(Probe.apply(path + "?dryRun=All&fieldManager=m&force=true", body));
            p.add(Probe.merge(path + "/status?dryRun=All", body));
            p.add(Probe.put(path + "/status?dryRun=All", body));
        }
        for (String query : QUERIES) {
            p.add(Probe.get(base + "?" + query));
        }
        for (String query : WATCHES) {
            p.add(Probe.get(base + "?watch=true&"
                    + (query.contains("timeoutSeconds") ? query : query + "&timeoutSeconds=1")));
        }
        for (String accept : ACCEPTS) {
            p.add(Probe.get(path).accept(accept));
            p.add(Probe.get(base).accept(accept));
            p.add(Probe.post(base + "?dryRun=All", "{}").accept(accept));
        }
        for (String options : OPTIONS) {
            p.add(Probe.delete(path + "?dryRun=All", options));
            p.add(Probe.delete(base + "?dryRun=All&labelSelector=never", options));
            p.add(Probe.post(base, thing));
        }
        for (String query : DELETE_QUERIES) {
            p.add(Probe.delete(path + "?" + (query.contains("dryRun") ? query : query + "&dryRun=All")));
        }
        for (String query : WRITE_QUERIES) {
            String dry = query.contains("dryRun") ? query : query + "&dryRun=All";
            p.add(Probe.post(base + "?" + dry, thing.replace("one", "two")));
            p.add(Probe.put(path + "?" + dry, thing));
            p.add(Probe.merge(path + "?" + dry, "{\"spec\": {\"size\": 4}}"));
        }
        for (String media : TYPES) {
            p.add(Probe.post(base + "?dryRun=All", thing.replace("one", "two")).type(media));
            p.add(Probe.merge(path + "?dryRun=All", "{\"spec\": {\"size\": 4}}").type(media));
            p.add(Probe.delete(path + "?dryRun=All", "{}").type(media));
            p.add(Probe.post(base, thing));
        }
        for (String patch : JSON_PATCHES) {
            p.add(Probe.json(path + "?dryRun=All", patch));
            p.add(Probe.json(path + "?dryRun=All&fieldValidation=Strict", patch));
        }
        for (String patch : MERGE_PATCHES) {
            p.add(Probe.merge(path + "?dryRun=All", patch));
            p.add(Probe.merge(path + "?dryRun=All&fieldValidation=Strict", patch));
            p.add(Probe.strategic(path + "?dryRun=All", patch));
            p.add(Probe.apply(path + "?dryRun=All&fieldManager=m", patch));
        }
        p.add(Probe.get(base + "/one/scale"));
        p.add(Probe.get(base + "/one/status"));
        p.add(Probe.get("/apis/cc.example.com/v2/namespaces/custom/things"));
        p.add(Probe.get("/apis/cc.example.com/v1/namespaces/custom/thing"));
        p.add(Probe.get("/apis/cc.example.com"));
        p.add(Probe.get("/apis/cc.example.com/v1"));
        p.add(Probe.delete(path));
        p.add(Probe.delete(crds + "/things.cc.example.com"));
        scenes.add(new Scene("custom resources", p));
    }

    private void paths() {
        List<Probe> p = new ArrayList<>();
        List<String> paths = inputs("paths");
        for (String path : paths) {
            p.add(Probe.get(path));
            for (String method : List.of("POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "X")) {
                boolean body = List.of("POST", "PUT", "PATCH").contains(method);
                if (!method.equals("DELETE") || path.contains("absent") || path.contains("/x")) {
                    p.add(new Probe(method, path, "application/json", body ? "application/json" : "",
                            body ? "{}" : ""));
                }
            }
            p.add(Probe.get(path).accept("text/html"));
            p.add(Probe.get(path).accept("application/yaml"));
        }
        p.removeIf(probe -> probe.target().equals("/openapi/v3/apis/apps/v1") && !probe.method().equals("GET"));
        scenes.add(new Scene("paths", p));
    }

    private void pods() {
        List<Probe> p = new ArrayList<>();
        String base = "/api/v1/namespaces/podsub/pods";
        p.add(Probe.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"podsub\"}}"));
        String pod = "{\"metadata\": {\"name\": \"one\", \"labels\": {\"app\": \"a\"}}, \"spec\": "
                + "{\"automountServiceAccountToken\": false, \"containers\": [{\"name\": \"c\", \"image\": \"i\", "
                + "\"resources\": {\"requests\": {\"cpu\": \"100m\"}}}]}}";
        p.add(Probe.post(base, pod));
        p.add(Probe.post(base, pod.replace("\"one\"", "\"two\"")));
        List<String> bindings = inputs("bindings");
        for (String binding : bindings) {
            for (String mode : List.of("dryRun=All", "dryRun=All&fieldValidation=Strict")) {
                p.add(Probe.post(base + "/one/binding?" + mode, binding));
                p.add(Probe.post("/api/v1/namespaces/podsub/bindings?" + mode, binding));
            }
            p.add(Probe.post(base + "/absent/binding", binding));
        }
        for (String query : WRITE_QUERIES) {
            p.add(Probe.post(base + "/one/binding?dryRun=All&" + query, "{\"target\": {\"name\": \"n\"}}"));
        }
        for (String media : TYPES) {
            p.add(Probe.post(base + "/one/binding?dryRun=All", "{\"target\": {\"name\": \"n\"}}").type(media));
            p.add(Probe.post(base + "/one/eviction?dryRun=All", "{\"metadata\": {\"name\": \"one\"}}").type(media));
        }
        for (String accept : ACCEPTS) {
            p.add(Probe.post(base + "/one/binding?dryRun=All", "{\"target\": {\"name\": \"n\"}}").accept(accept));
        }
        List<String> evictions = inputs("evictions");
        for (String eviction : evictions) {
            p.add(Probe.post(base + "/one/eviction?dryRun=All", eviction));
            p.add(Probe.post(base + "/one/eviction?dryRun=All&fieldValidation=Strict", eviction));
            p.add(Probe.post(base + "/absent/eviction", eviction));
        }
        for (String sub : List.of("binding", "eviction", "log", "exec", "attach", "portforward", "proxy", "resize",
                "ephemeralcontainers", "status", "x")) {
            for (String method : List.of("GET", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS")) {
                p.add(new Probe(method, base + "/absent/" + sub, "application/json", "application/json",
                        method.startsWith("P") ? "{}" : ""));
                p.add(new Probe(method, base + "/one/" + sub, "application/json",
                        method.equals("PATCH") ? "application/merge-patch+json" : "application/json",
                        method.startsWith("P") ? "{}" : ""));
            }
            p.add(Probe.post(base + "/absent/" + sub, "{}"));
        }
        for (String query : List.of("", "container=x", "container=c", "tailLines=x", "tailLines=-1", "limitBytes=0",
                "limitBytes=x", "sinceSeconds=0", "sinceSeconds=x",
                "sinceTime=x", "sinceTime=2026-01-01T00:00:00Z&sinceSeconds=1", "follow=x", "previous=true", "stream=x",
                "stream=Stdout", "stream=Stdout&tailLines=1", "insecureSkipTLSVerifyBackend=x",
                "timestamps=1")) {
            p.add(Probe.get(base + "/one/log?" + query));
        }
        String current = "\"metadata\": {\"name\": \"one\"}";
        for (String body : inputs("pods")) {
            for (String sub : List.of("", "/resize", "/ephemeralcontainers", "/status")) {
                p.add(Probe.put(base + "/one" + sub + "?dryRun=All", body));
                p.add(Probe.strategic(base + "/one" + sub + "?dryRun=All", body));
                p.add(Probe.merge(base + "/one" + sub + "?dryRun=All", body));
            }
        }
        p.add(Probe.post(base + "/one/binding", "{\"target\": {\"name\": \"n\"}}"));
        p.add(Probe.post(base + "/one/binding", "{\"target\": {\"name\": \"n\"}}"));
        p.add(Probe.delete(base + "/one"));
        p.add(Probe.delete(base + "/one"));
        p.add(Probe.post(base + "/one/binding", "{\"target\": {\"name\": \"n\"}}"));
        p.add(Probe.post(base + "/one/eviction", "{\"metadata\": {\"name\": \"one\"}}"));
        p.add(Probe.delete(base + "/one?gracePeriodSeconds=0"));
        p.add(Probe.get(base + "/one"));
        scenes.add(new Scene("pod subresources", p));
    }

    private void subresources() {
        List<Probe> p = new ArrayList<>();
        p.add(Probe.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"subs\"}}"));
        String base = "/apis/apps/v1/namespaces/subs/deployments";
        p.add(Probe.post(base,
                "{\"metadata\": {\"name\": \"one\"}, \"spec\": {\"replicas\": 1, \"selector\": {\"matchLabels\": "
                        + "{\"a\": \"b\"}}, \"template\": {\"metadata\": "
                        + "{\"labels\": {\"a\": \"b\"}}, \"spec\": {\"containers\": [{\"name\": \"c\", \"image\": "
                        + "\"i\"}]}}}}"));
        for (String body : inputs("scales")) {
            for (String mode : List.of("", "&fieldValidation=Strict")) {
                p.add(Probe.put(base + "/one/scale?dryRun=All" + mode, body));
                p.add(Probe.merge(base + "/one/scale?dryRun=All" + mode, body));
                p.add(Probe.strategic(base + "/one/scale?dryRun=All" + mode, body));
                p.add(Probe.apply(base + "/one/scale?dryRun=All&fieldManager=m" + mode, body));
            }
            p.add(Probe.put(base + "/absent/scale", body));
        }
        for (String method : List.of("GET", "POST", "DELETE", "HEAD", "X")) {
            p.add(Probe.get(base + "/one/scale").method(method));
            p.add(Probe.get(base + "/absent/scale").method(method));
        }
        for (String accept : ACCEPTS) {
            p.add(Probe.get(base + "/one/scale").accept(accept));
        }
        p.add(Probe.post("/api/v1/namespaces/subs/serviceaccounts", "{\"metadata\": {\"name\": \"sa\"}}"));
        String token = "/api/v1/namespaces/subs/serviceaccounts/sa/token";
        for (String body : inputs("tokenRequests")) {
            p.add(Probe.post(token, body));
            p.add(Probe.post(token + "?fieldValidation=Strict", body));
            p.add(Probe.post(token.replace("/sa/", "/absent/"), body));
        }
        for (String method : List.of("GET", "PUT", "PATCH", "DELETE", "HEAD")) {
            p.add(new Probe(method, token, "application/json", "application/json", method.startsWith("P") ? "{}" : ""));
        }
        for (String body : List.of("{}", "x", "{\"metadata\": {\"name\": \"subs\"}}",
                "{\"metadata\": {\"name\": \"subs\"}, \"spec\": {\"finalizers\": [\"x\"]}}",
                "{\"metadata\": {\"name\": \"subs\"}, \"spec\": {\"finalizers\": [\"kubernetes\", \"example.com/x\"]}}",
                "{\"metadata\": {\"name\": \"x\"}}")) {
            p.add(Probe.put("/api/v1/namespaces/subs/finalize?dryRun=All", body));
            p.add(Probe.merge("/api/v1/namespaces/subs/finalize?dryRun=All", body));
            p.add(Probe.put("/api/v1/namespaces/subs/status?dryRun=All", body));
        }
        scenes.add(new Scene("other subresources", p));
    }
}
