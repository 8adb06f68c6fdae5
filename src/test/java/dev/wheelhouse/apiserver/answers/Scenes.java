package dev.wheelhouse.apiserver.answers;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;

/**
 * Requests of all kinds, from a seed. A scene makes all that it needs, in a namespace of its own, so that each can be
 * sent alone.
 */
final class Scenes {
    private static final List<String> QUERIES = List.of("limit=1", "limit=-1", "limit=x", "limit=99999999999999999999",
            "limit=1&resourceVersion=0", "limit=1.5", "limit=", "continue=x", "continue=e30", "continue=eyJ2IjoxfQ",
            "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoiYSJ9",
            "continue=eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MSwic3RhcnQiOiIuLi9hIn0", "continue=%00",
            "resourceVersion=0", "resourceVersion=x", "resourceVersion=-1", "resourceVersion=01", "resourceVersion=1.5",
            "resourceVersion=99999999999999999999", "resourceVersion=999999999",
            "resourceVersion=0&resourceVersionMatch=Exact", "resourceVersion=0&resourceVersionMatch=NotOlderThan",
            "resourceVersion=x&resourceVersionMatch=Exact", "resourceVersion=1&resourceVersionMatch=x",
            "resourceVersionMatch=Exact", "resourceVersionMatch=x", "resourceVersionMatch=NotOlderThan",
            "resourceVersion=1&continue=x&resourceVersionMatch=Exact", "resourceVersion=x&continue=x",
            "labelSelector=a%3Db", "labelSelector=a%3D%3Db", "labelSelector=a!%3Db", "labelSelector=!a",
            "labelSelector=a", "labelSelector=a+in+(b,c)", "labelSelector=a+in+()", "labelSelector=a+in+(b",
            "labelSelector=a+notin+(b)", "labelSelector=a%3E1", "labelSelector=a%3Cx", "labelSelector=a%3E%3D1",
            "labelSelector=,", "labelSelector=a,", "labelSelector=,a", "labelSelector=a,,b", "labelSelector=a%20b",
            "labelSelector=-a", "labelSelector=a/b/c", "labelSelector=A_B/c", "labelSelector=a%3D-",
            "labelSelector=a%3Db%20c",
            "labelSelector=a%3D%C3%A9", "labelSelector=%C3%A9", "labelSelector=!", "labelSelector=%3Db",
            "labelSelector=a%3Db%3Dc", "labelSelector=in", "labelSelector=notin+in+(in)", "labelSelector=(a)",
            "labelSelector=" + "a".repeat(64), "labelSelector=a%3D" + "b".repeat(64), "labelSelector=a+foo+(b)",
            "labelSelector=a+in+b", "labelSelector=a+in+(b,)", "labelSelector=a+in+(,)", "labelSelector=!a%3Db",
            "labelSelector=a+exists", "labelSelector=a%0A", "labelSelector=a%3Db&labelSelector=-",
            "labelSelector=a%3E-1",
            "labelSelector=a+%3E+b+", "labelSelector=" + "x".repeat(260) + "/y", "labelSelector=.a/b",
            "labelSelector=/b",
            "fieldSelector=metadata.name%3Dx", "fieldSelector=metadata.name!%3Dx", "fieldSelector=metadata.name%3D%3Dx",
            "fieldSelector=metadata.name", "fieldSelector=metadata.namespace%3Dx", "fieldSelector=x%3Dy",
            "fieldSelector=,", "fieldSelector=metadata.name%3Dx,", "fieldSelector=%3Dx",
            "fieldSelector=metadata.uid%3Dx",
            "fieldSelector=metadata.name%3Da%5Cb", "fieldSelector=metadata.name%3Da%5C,b",
            "fieldSelector=metadata.name%3Da%3Db",
            "fieldSelector=metadata.name%3D%5C", "fieldSelector=spec.nodeName%3Dx", "fieldSelector=status.phase%3Dx",
            "fieldSelector=type%3Dx", "fieldSelector=spec.host%3Dx", "fieldSelector=status.successful%3D1",
            "fieldSelector=status.replicas%3D1", "fieldSelector=spec.unschedulable%3Dtrue", "fieldSelector=reason%3Dx",
            "fieldSelector=involvedObject.name%3Dx", "fieldSelector=regarding.name%3Dx",
            "fieldSelector=reportingController%3Dx", "fieldSelector=reportingComponent%3Dx", "fieldSelector=source%3Dx",
            "fieldSelector=spec.signerName%3Dx", "fieldSelector=spec.clusterIP%3Dx", "fieldSelector=spec.type%3Dx",
            "fieldSelector=spec.driver%3Dx", "fieldSelector=status.podIPs%3Dx", "fieldSelector=spec.podName%3Dx",
            "fieldSelector=metadata.name+in+(a)", "fieldSelector=status.podIP!%3Dx", "fieldSelector=spec.color%3Dred",
            "fieldSelector=spec.hostNetwork%3Dtrue", "fieldSelector=name%3Dx",
            "timeoutSeconds=x", "timeoutSeconds=-1", "timeoutSeconds=0", "timeoutSeconds=1.5", "timeout=x",
            "timeout=-1s",
            "timeout=1", "timeout=1s", "timeout=0s", "pretty=true", "pretty=x", "pretty=1", "pretty=", "unknown=x",
            "=x",
            "watch=false", "watch=0", "sendInitialEvents=true", "sendInitialEvents=false", "sendInitialEvents=x",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "allowWatchBookmarks=x",
            "allowWatchBookmarks=true", "includeObject=Object", "includeObject=x", "dryRun=All", "fieldManager=x");
    private static final List<String> WATCHES = List.of("resourceVersion=x", "resourceVersion=-1",
            "resourceVersion=1", "resourceVersion=0", "resourceVersion=999999999&timeoutSeconds=1",
            "resourceVersionMatch=Exact", "resourceVersion=1&resourceVersionMatch=NotOlderThan",
            "sendInitialEvents=true",
            "sendInitialEvents=x", "sendInitialEvents=false", "sendInitialEvents=true&resourceVersionMatch=Exact",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=999999999",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=x",
            "sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x",
            "sendInitialEvents=false&resourceVersionMatch=NotOlderThan",
            "sendInitialEvents=false&resourceVersionMatch=NotOlderThan&resourceVersion=1",
            "sendInitialEvents=true&resourceVersion=0",
            "continue=x", "limit=1", "limit=x", "timeoutSeconds=x", "timeoutSeconds=-5", "labelSelector=-",
            "fieldSelector=x%3Dy",
            "fieldSelector=metadata.name%3Dx", "timeoutSeconds=1&timeout=x", "allowWatchBookmarks=x", "pretty=true",
            "labelSelector=a%3D%3D%3Db", "fieldSelector=metadata.namespace%3Dx", "resourceVersion=01",
            "resourceVersion=99999999999999999999");
    private static final List<String> ACCEPTS = List.of("", "*/*", "application/*", "text/*", "text/html", "text/plain",
            "application/yaml", "application/json;q=0.5", "application/json; charset=utf-8", "application/cbor",
            "application/vnd.kubernetes.protobuf", "application/vnd.kubernetes.protobuf;stream=watch",
            "application/json;stream=watch", "application/json;as=Table;g=meta.k8s.io;v=v1",
            "application/json;as=Table;g=meta.k8s.io;v=v1beta1", "application/json;as=Table;g=meta.k8s.io;v=v2",
            "application/json;as=Table;g=meta.k8s.io", "application/json;as=Table;v=v1", "application/json;as=Table",
            "application/json;as=table;g=meta.k8s.io;v=v1", "application/json;as=Table;g=x;v=v1",
            "application/yaml;as=Table;g=meta.k8s.io;v=v1",
            "application/vnd.kubernetes.protobuf;as=Table;g=meta.k8s.io;v=v1",
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1beta1",
            "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            "application/yaml;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadata;g=meta.k8s.io;v=v1",
            "application/vnd.kubernetes.protobuf;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            "application/json;as=Pod;g=;v=v1", "application/json;as=x", "application/json;as=",
            "application/json;as=Table;g=meta.k8s.io;v=v1,application/json",
            "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1,"
                    + "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1",
            "text/html,application/json", "text/html,*/*;q=0.1", "application/json;unknown=x",
            "application/json;export=1",
            "x", "application", "/", ",", ";", "application/json;", "APPLICATION/JSON", "application/json ; pretty=1",
            "application/json;pretty=1");
    private static final List<String> OPTIONS = List.of("{", "x", "[]", "1", "\"x\"", "null", "{}",
            "{\"kind\": \"DeleteOptions\", \"apiVersion\": \"v1\"}",
            "{\"kind\": \"DeleteOptions\", \"apiVersion\": \"meta.k8s.io/v1\"}",
            "{\"kind\": \"DeleteOptions\", \"apiVersion\": \"x/v1\"}", "{\"kind\": \"DeleteOptions\"}",
            "{\"apiVersion\": \"v1\"}", "{\"kind\": \"Pod\", \"apiVersion\": \"v1\"}",
            "{\"kind\": \"X\", \"apiVersion\": \"v1\"}", "{\"kind\": 1}", "{\"gracePeriodSeconds\": \"x\"}",
            "{\"gracePeriodSeconds\": -1}", "{\"gracePeriodSeconds\": 1.5}", "{\"gracePeriodSeconds\": null}",
            "{\"propagationPolicy\": \"x\"}", "{\"propagationPolicy\": \"\"}", "{\"propagationPolicy\": 1}",
            "{\"propagationPolicy\": \"Orphan\", \"orphanDependents\": true}", "{\"orphanDependents\": \"x\"}",
            "{\"preconditions\": {\"uid\": \"x\"}}", "{\"preconditions\": {\"resourceVersion\": \"1\"}}",
            "{\"preconditions\": {\"resourceVersion\": \"x\"}}", "{\"preconditions\": {\"uid\": 1}}",
            "{\"preconditions\": []}", "{\"preconditions\": {\"uid\": \"\"}}", "{\"dryRun\": \"All\"}",
            "{\"dryRun\": [\"x\"]}", "{\"dryRun\": [\"All\", \"All\"]}", "{\"dryRun\": [\"All\"]}", "{\"dryRun\": [1]}",
            "{\"dryRun\": []}", "{\"unknown\": 1}", "{\"dryRun\": [\"All\"], \"dryRun\": [\"All\"]}",
            "{\"ignoreStoreReadErrorWithClusterBreakingPotential\": true}",
            "{\"ignoreStoreReadErrorWithClusterBreakingPotential\": true, \"gracePeriodSeconds\": 1}");
    private static final List<String> DELETE_QUERIES = List.of("propagationPolicy=x",
            "propagationPolicy=Orphan&orphanDependents=true",
            "gracePeriodSeconds=x", "gracePeriodSeconds=-1&dryRun=All", "gracePeriodSeconds=1.5",
            "orphanDependents=x&dryRun=All",
            "dryRun=x", "dryRun=All", "dryRun=All&dryRun=All", "dryRun=", "dryRun=All&dryRun=x",
            "preconditions=x&dryRun=All",
            "propagationPolicy=&dryRun=All", "unknown=1&dryRun=All", "pretty=true&dryRun=All",
            "fieldValidation=Strict&dryRun=All", "timeout=x", "propagationPolicy=Foreground&dryRun=All",
            "ignoreStoreReadErrorWithClusterBreakingPotential=true&dryRun=All",
            "ignoreStoreReadErrorWithClusterBreakingPotential=x&dryRun=All");
    private static final List<String> WRITE_QUERIES = List.of("dryRun=x", "dryRun=All&dryRun=All", "dryRun=",
            "fieldManager=" + "x".repeat(129), "fieldManager=a%0Ab", "fieldManager=%C3%A9", "fieldManager=",
            "fieldValidation=x",
            "fieldValidation=", "fieldValidation=strict", "force=true", "force=x", "pretty=x", "unknown=x", "timeout=x",
            "fieldValidation=Strict&fieldValidation=x", "dryRun=All&fieldManager=m&fieldValidation=Strict");
    private static final List<String> TYPES = List.of("", "text/plain", "application/x-www-form-urlencoded",
            "application/json; charset=utf-8", "application/json;x", "application/yaml", "application/cbor",
            "application/vnd.kubernetes.protobuf", "application/merge-patch+json", "application/json-patch+json",
            "application/strategic-merge-patch+json", "application/apply-patch+yaml", "application/apply-patch+cbor",
            "APPLICATION/JSON", "*/*", "x",
            "application/json, text/plain", "multipart/form-data");
    private static final List<String> JSON_PATCHES = List.of("[]", "{}", "x", "[1]", "[{}]", "null", "\"\"",
            "[{\"op\": \"x\", \"path\": \"/a\"}]", "[{\"op\": \"add\", \"path\": \"/metadata/labels\", \"value\": 1}]",
            "[{\"op\": \"add\", \"path\": \"\", \"value\": {}}]", "[{\"op\": \"add\", \"path\": \"x\", \"value\": 1}]",
            "[{\"op\": \"add\", \"path\": \"/a/b/c\", \"value\": 1}]",
            "[{\"op\": \"add\", \"path\": \"/metadata/labels\"}]",
            "[{\"op\": \"remove\", \"path\": \"/a\"}]", "[{\"op\": \"remove\", \"path\": \"\"}]",
            "[{\"op\": \"remove\", \"path\": \"/metadata/name\"}]", "[{\"op\": \"remove\", \"path\": \"/kind\"}]",
            "[{\"op\": \"replace\", \"path\": \"/a\", \"value\": 1}]",
            "[{\"op\": \"replace\", \"path\": \"/metadata/name\", \"value\": \"y\"}]",
            "[{\"op\": \"replace\", \"path\": \"/kind\", \"value\": \"y\"}]",
            "[{\"op\": \"replace\", \"path\": \"/apiVersion\", \"value\": \"v9\"}]",
            "[{\"op\": \"replace\", \"path\": \"/metadata/resourceVersion\", \"value\": \"1\"}]",
            "[{\"op\": \"replace\", \"path\": \"/metadata/resourceVersion\", \"value\": \"x\"}]",
            "[{\"op\": \"replace\", \"path\": \"/metadata/resourceVersion\", \"value\": 1}]",
            "[{\"op\": \"replace\", \"path\": \"/metadata/uid\", \"value\": \"y\"}]",
            "[{\"op\": \"test\", \"path\": \"/metadata/name\", \"value\": \"y\"}]",
            "[{\"op\": \"test\", \"path\": \"/a\", \"value\": null}]",
            "[{\"op\": \"copy\", \"from\": \"/a\", \"path\": \"/b\"}]",
            "[{\"op\": \"move\", \"from\": \"/metadata\", \"path\": \"/metadata/x\"}]",
            "[{\"op\": \"copy\", \"path\": \"/b\"}]",
            "[{\"op\": \"add\", \"path\": \"/metadata/finalizers/-\", \"value\": \"x\"}]",
            "[{\"op\": \"add\", \"path\": \"/metadata/finalizers\", \"value\": [\"x\"]}]",
            "[{\"op\": \"add\", \"path\": \"/unknown\", \"value\": 1}]",
            "[{\"op\": \"add\", \"path\": \"/metadata/labels/a~1b\", \"value\": \"c\"}]",
            "[{\"op\": \"add\", \"path\": \"/metadata/x~2\", \"value\": \"c\"}]",
            "[{\"op\": \"add\", \"path\": \"/metadata/managedFields\", \"value\": []}]",
            "[{\"op\": \"add\", \"path\": \"/unknown\", \"value\": 1, \"x\": 2}]");
    private static final List<String> MERGE_PATCHES = List.of("", "x", "[]", "1", "null", "\"x\"", "{}",
            "{\"metadata\": null}",
            "{\"metadata\": 1}", "{\"metadata\": {\"name\": \"y\"}}", "{\"metadata\": {\"name\": null}}",
            "{\"metadata\": {\"namespace\": \"y\"}}", "{\"metadata\": {\"uid\": \"y\"}}",
            "{\"metadata\": {\"uid\": 1}}",
            "{\"metadata\": {\"resourceVersion\": \"1\"}}", "{\"metadata\": {\"resourceVersion\": \"x\"}}",
            "{\"metadata\": {\"resourceVersion\": \"\"}}", "{\"metadata\": {\"resourceVersion\": \"0\"}}",
            "{\"metadata\": {\"labels\": {\"-\": \"x\"}}}", "{\"metadata\": {\"labels\": {\"a\": 1}}}",
            "{\"metadata\": {\"labels\": \"x\"}}",
            "{\"metadata\": {\"labels\": {\"a\": null}}}", "{\"metadata\": {\"annotations\": {\"a b\": \"x\"}}}",
            "{\"metadata\": {\"finalizers\": [\"x\"]}}", "{\"metadata\": {\"finalizers\": \"x\"}}",
            "{\"metadata\": {\"ownerReferences\": [{}]}}", "{\"metadata\": {\"creationTimestamp\": \"x\"}}",
            "{\"metadata\": {\"creationTimestamp\": null}}",
            "{\"metadata\": {\"deletionTimestamp\": \"2026-01-01T00:00:00Z\"}}",
            "{\"metadata\": {\"generation\": -1}}", "{\"metadata\": {\"generateName\": \"x\"}}",
            "{\"metadata\": {\"managedFields\": [{}]}}",
            "{\"metadata\": {\"managedFields\": [{\"manager\": \"m\", \"operation\": \"x\", \"apiVersion\": \"v1\", "
                    + "\"fieldsType\": \"FieldsV1\"}]}}",
            "{\"kind\": \"X\"}", "{\"kind\": null}", "{\"apiVersion\": \"x/v1\"}",
            "{\"apiVersion\": null, \"kind\": null}",
            "{\"unknown\": 1}", "{\"spec\": {\"unknown\": 1}}", "{\"spec\": null}", "{\"spec\": 1}", "{\"spec\": []}",
            "{\"status\": 1}",
            "{\"data\": {\"k\": 1}}", "{\"data\": \"x\"}", "{\"metadata\": {\"selfLink\": \"x\"}}",
            "{\"a\": 1, \"a\": 2}",
            "{\"metadata\": {\"$patch\": \"delete\"}}", "{\"metadata\": {\"labels\": {\"$patch\": \"replace\"}}}",
            "{\"$patch\": \"x\"}",
            "{\"metadata\": {\"$deleteFromPrimitiveList/finalizers\": [\"x\"]}}",
            "{\"metadata\": {\"$setElementOrder/finalizers\": [\"x\"]}}", "{\"$retainKeys\": [\"x\"]}", "{} {}",
            "{\"metadata\": {}");

    private final List<Scene> scenes = new ArrayList<>();
    private final Map<String, ObjectNode> seeds = new LinkedHashMap<>();

    record Scene(String name, List<Probe> probes) {}

    static List<Scene> all() {
        return new Scenes().scenes;
    }

    private Scenes() {
        for (String line : resource("/answers/seeds.jsonl").split("\n")) {
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

    private static String resource(String name) {
        try (InputStream in = Objects.requireNonNull(Scenes.class.getResourceAsStream(name), name)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
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
        for (String line : resource("/answers/seeds.jsonl").split("\n")) {
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
        List<String> bodies = List.of("{}", "[]", "", "x", thing.replace("red", "green"), thing.replace("2", "0"),
                thing.replace("2", "\"x\""), thing.replace("2", "1.5"), thing.replace("[\"a\"]", "[1]"),
                thing.replace("[\"a\"]", "[\"a\",\"b\",\"c\",\"d\"]"), thing.replace("\"size\"", "\"unknown\""),
                thing.replace("\"size\": 2", "\"size\": 2, \"size\": 3"), thing.replace("\"spec\"", "\"speck\""),
                thing.replace("\"kind\": \"Thing\", ", ""), thing.replace("\"Thing\"", "\"X\""),
                thing.replace("cc.example.com/v1", "cc.example.com/v2"),
                thing.replace("\"apiVersion\": \"cc.example.com/v1\", ", ""),
                thing.replace("\"one\"", "\"One\""), thing.replace("\"name\": \"one\"", "\"name\": 1"),
                thing.replace("{\"name\": \"one\"}", "[]"), thing.replace("{\"name\": \"one\"}", "null"),
                thing.replace("\"name\": \"one\"", "\"name\": \"one\", \"labels\": {\"-\": \"x\"}"),
                thing.replace("\"name\": \"one\"", "\"name\": \"one\", \"labels\": {\"a\": 1}"),
                thing.replace("\"name\": \"one\"", "\"name\": \"one\", \"unknown\": 1"),
                thing.replace("\"name\": \"one\"", "\"name\": \"one\", \"finalizers\": [\"x\"]"),
                thing.replace("\"name\": \"one\"", "\"name\": \"one\", \"ownerReferences\": [{\"name\": \"x\"}]"),
                thing.replace("\"name\": \"one\"", "\"generateName\": \"x-\""),
                thing.replace("\"name\": \"one\"", "\"namespace\": \"x\", \"name\": \"one\""),
                thing.replace("\"color\": \"red\"", "\"color\": null"),
                thing.replace("{\"color\": \"red\", \"size\": 2, \"list\": [\"a\"]}", "null"),
                thing.replace("{\"color\": \"red\", \"size\": 2, \"list\": [\"a\"]}", "1"),
                thing.replace("2", "99999999999999999999"));
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
        List<String> paths = List.of("/", "//", "/api", "/api/", "/api/v1", "/api/v1/", "/api/v2", "/api/v1/x",
                "/api/v1/pods/",
                "/api/v1//pods", "//api/v1/pods", "/api/v1/namespaces", "/api/v1/namespaces/",
                "/api/v1/namespaces/default/",
                "/api/v1/namespaces/default/x", "/api/v1/namespaces/default/pods/", "/api/v1/namespaces//pods",
                "/api/v1/namespaces/default/pods/a/b/c", "/api/v1/namespaces/absent/pods/a",
                "/api/v1/namespaces/absent",
                "/api/v1/namespaces/default/status", "/api/v1/namespaces/default/finalize",
                "/api/v1/namespaces/absent/status",
                "/apis", "/apis/", "/apis/apps", "/apis/apps/", "/apis/apps/v1", "/apis/apps/v1/", "/apis/apps/v9",
                "/apis/x", "/apis/x/v1",
                "/apis/x/v1/y", "/apis/apps/v1/x", "/apis/apps/v1/deployments/",
                "/apis/apps/v1/namespaces/default/deployments/x/y",
                "/api/v1/watch", "/api/v1/watch/pods?timeoutSeconds=1&resourceVersion=1", "/api/v1/watch/x",
                "/api/v1/watch/namespaces/default/pods/x/status",
                "/api/v1/watch/namespaces/default/pods/x?timeoutSeconds=1&resourceVersion=1",
                "/api/v1/watch/nodes?resourceVersion=x",
                "/api/v1/proxy", "/api/v1/proxy/x", "/healthz", "/healthz/", "/healthz/x", "/healthz/ping", "/livez",
                "/livez/ping", "/readyz", "/readyz/x",
                "/version", "/version/", "/versio", "/metrics/x", "/openapi/v2/", "/openapi/v3", "/openapi/v3/x",
                "/openapi/v3/apis/apps/v1", "/openapi/v3/apis/x/v1",
                "/openapi", "/swagger", "/swagger.json", "/.well-known/openid-configuration", "/.well-known/x",
                "/openid/v1/jwks", "/x", "/x/y", "/API/v1",
                "/api/v1/namespaces/default/pods/%2e%2e", "/api/v1/namespaces/default/pods/a%2Fb",
                "/api/v1/namespaces/default/configmaps/%00",
                "/api/v1/namespaces/default/configmaps/%C3%A9",
                "/api/v1/namespaces/default/configmaps/" + "x".repeat(300),
                "/api/v1/namespaces/default/configmaps/A", "/api/v1/namespaces/default/configmaps/a%20b",
                "/api/v1/namespaces/default/configmaps/a+b",
                "/api/v1/namespaces/%C3%A9/configmaps", "/api/v1/namespaces/A_B/configmaps",
                "/api/v1/namespaces/" + "x".repeat(300) + "/configmaps",
                "/api/v1/pods?", "/api/v1/nodes/absent/proxy", "/api/v1/nodes/absent/status",
                "/api/v1/componentstatuses/x",
                "/api/v1/bindings", "/api/v1/namespaces/default/bindings",
                "/apis/authorization.k8s.io/v1/subjectaccessreviews",
                "/apis/authentication.k8s.io/v1/tokenreviews", "/api/v1/namespaces/default/pods?limit=1&limit=2",
                "/debug/pprof/x", "/logs", "/apis/v1",
                "/api/v1/namespaces?%zz", "/api/v1/namespaces?a=%zz", "/api/v1/namespaces?;", "/api/v1/namespaces?a;b",
                "/api/v1/namespaces?limit=1;x=2");
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
        List<String> bindings = List.of("{}", "", "x", "[]", "null", "1", "{\"target\": {}}",
                "{\"target\": {\"name\": \"\"}}", "{\"target\": {\"name\": \"n\", \"kind\": \"Pod\"}}",
                "{\"target\": {\"name\": \"n\", \"kind\": \"X\"}}", "{\"target\": {\"name\": 1}}",
                "{\"target\": \"x\"}",
                "{\"metadata\": {\"name\": \"other\"}, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": {\"name\": \"one\", \"namespace\": \"other\"}, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": {\"name\": \"one\", \"uid\": \"x\"}, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": {\"name\": \"one\", \"resourceVersion\": \"1\"}, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": {\"name\": \"one\"}, \"target\": {\"name\": \"N_x\"}}",
                "{\"metadata\": {\"name\": \"one\"}, \"target\": {\"name\": \"n\"}, \"unknown\": 1}",
                "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"target\": {\"name\": \"n\"}}",
                "{\"kind\": \"Binding\", \"apiVersion\": \"v2\", \"target\": {\"name\": \"n\"}}",
                "{\"kind\": \"Binding\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"one\"}, \"target\": "
                        + "{\"name\": \"n\", \"kind\": \"Node\", \"apiVersion\": \"v1\"}}",
                "{\"metadata\": {\"generateName\": \"one\"}, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": {\"labels\": {\"-\": \"x\"}}, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": {\"annotations\": {\"a b\": \"x\"}}, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": 1, \"target\": {\"name\": \"n\"}}",
                "{\"metadata\": {\"name\": \"absent\"}, \"target\": {\"name\": \"n\"}}");
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
        List<String> evictions = List.of("{}", "", "x", "[]", "{\"metadata\": {\"name\": \"one\"}}",
                "{\"metadata\": {\"name\": \"other\"}}",
                "{\"metadata\": {\"name\": \"one\", \"namespace\": \"other\"}}",
                "{\"kind\": \"Eviction\", \"apiVersion\": \"policy/v1beta1\", \"metadata\": {\"name\": \"one\"}}",
                "{\"kind\": \"Eviction\", \"apiVersion\": \"policy/v1\", \"metadata\": {\"name\": \"one\"}}",
                "{\"kind\": \"Eviction\", \"apiVersion\": \"policy/v2\", \"metadata\": {\"name\": \"one\"}}",
                "{\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"metadata\": {\"name\": \"one\"}}",
                "{\"metadata\": {\"name\": \"one\"}, \"unknown\": 1}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": {\"preconditions\": {\"uid\": \"x\"}}}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": {\"preconditions\": {\"resourceVersion\": "
                        + "\"1\"}}}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": {\"gracePeriodSeconds\": -1}}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": {\"gracePeriodSeconds\": \"x\"}}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": {\"propagationPolicy\": \"x\"}}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": {\"dryRun\": [\"x\"]}}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": {\"dryRun\": [\"All\"]}}",
                "{\"metadata\": {\"name\": \"one\"}, \"deleteOptions\": 1}");
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
        for (String body : List.of("{}", "{" + current + "}", "{" + current + ", \"spec\": {\"containers\": []}}", pod,
                pod.replace("100m", "200m"), pod.replace("100m", "x"), pod.replace("\"i\"", "\"j\""),
                pod.replace("requests", "limits"),
                pod.replace("\"containers\": [",
                        "\"ephemeralContainers\": [{\"name\": \"e\", \"image\": \"i\"}], \"containers\": ["),
                pod.replace("\"containers\": [",
                        "\"ephemeralContainers\": [{\"name\": \"c\", \"image\": \"i\"}], \"containers\": ["),
                pod.replace("\"containers\": [", "\"ephemeralContainers\": [{\"name\": \"e\"}], \"containers\": ["),
                pod.replace("\"containers\": [",
                        "\"ephemeralContainers\": [{\"name\": \"e\", \"image\": \"i\", \"targetContainerName\": "
                                + "\"x\"}], \"containers\": ["),
                pod.replace("\"containers\": [",
                        "\"ephemeralContainers\": [{\"name\": \"e\", \"image\": \"i\", \"ports\": "
                                + "[{\"containerPort\": 1}]}], \"containers\": ["),
                pod.replace("\"containers\": [", "\"nodeName\": \"x\", \"containers\": ["),
                pod.replace("\"spec\"", "\"status\": {\"phase\": \"X\"}, \"spec\""),
                pod.replace("\"spec\"", "\"status\": {\"podIP\": \"x\"}, \"spec\""),
                pod.replace("\"spec\"",
                        "\"status\": {\"podIPs\": [{\"ip\": \"1.1.1.1\"}, {\"ip\": \"1.1.1.2\"}]}, \"spec\""),
                pod.replace("\"spec\"", "\"status\": {\"qosClass\": \"Guaranteed\"}, \"spec\""),
                pod.replace("\"spec\"", "\"status\": {\"nominatedNodeName\": \"X_\"}, \"spec\""),
                pod.replace("\"spec\"",
                        "\"status\": {\"conditions\": [{\"type\": \"Ready\", \"status\": \"x\"}, {\"type\": \"a "
                                + "b\"}]}, \"spec\""),
                pod.replace("\"spec\"", "\"status\": {\"containerStatuses\": [{\"name\": \"x\"}]}, \"spec\""),
                pod.replace("\"spec\"",
                        "\"status\": {\"containerStatuses\": [{\"name\": \"c\", \"state\": {\"terminated\": "
                                + "{\"exitCode\": 1}, \"running\": {}}}]}, \"spec\""))) {
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
        for (String body : List.of("{}", "", "x", "[]", "{\"spec\": {\"replicas\": 2}}",
                "{\"metadata\": {\"name\": \"one\"}, \"spec\": {\"replicas\": 2}}",
                "{\"metadata\": {\"name\": \"one\", \"namespace\": \"subs\"}, \"spec\": {\"replicas\": 2}}",
                "{\"metadata\": {\"name\": \"other\"}, \"spec\": {\"replicas\": 2}}",
                "{\"metadata\": {\"name\": \"one\", \"namespace\": \"x\"}, \"spec\": {\"replicas\": 2}}",
                "{\"metadata\": {\"name\": \"one\"}, \"spec\": {\"replicas\": -1}}",
                "{\"metadata\": {\"name\": \"one\"}, \"spec\": {\"replicas\": \"x\"}}",
                "{\"metadata\": {\"name\": \"one\", \"resourceVersion\": \"1\"}, \"spec\": {\"replicas\": 2}}",
                "{\"metadata\": {\"name\": \"one\", \"uid\": \"x\"}, \"spec\": {\"replicas\": 2}}",
                "{\"kind\": \"Scale\", \"apiVersion\": \"autoscaling/v1\", \"metadata\": {\"name\": \"one\"}}",
                "{\"kind\": \"Scale\", \"apiVersion\": \"extensions/v1beta1\", \"metadata\": {\"name\": \"one\"}}",
                "{\"kind\": \"Deployment\", \"apiVersion\": \"apps/v1\", \"metadata\": {\"name\": \"one\"}}",
                "{\"metadata\": {\"name\": \"one\"}, \"spec\": {\"replicas\": 2, \"unknown\": 1}}",
                "{\"spec\": 1}", "{\"spec\": {\"replicas\": null}}", "{\"spec\": {\"replicas\": 99999999999}}",
                "{\"spec\": {\"replicas\": 1.5}}")) {
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
        for (String body : List.of("{}", "", "x", "[]", "{\"spec\": {}}", "{\"spec\": {\"expirationSeconds\": 1}}",
                "{\"spec\": {\"expirationSeconds\": 9999999999}}",
                "{\"spec\": {\"expirationSeconds\": \"x\"}}", "{\"spec\": {\"audiences\": [\"x\"]}}",
                "{\"spec\": {\"audiences\": \"x\"}}",
                "{\"spec\": {\"boundObjectRef\": {\"kind\": \"Pod\", \"name\": \"x\"}}}",
                "{\"spec\": {\"boundObjectRef\": {\"kind\": \"Pod\", \"apiVersion\": \"v1\", \"name\": \"x\"}}}",
                "{\"spec\": {\"boundObjectRef\": {\"kind\": \"X\", \"apiVersion\": \"v1\", \"name\": \"x\"}}}",
                "{\"spec\": {\"boundObjectRef\": {}}}",
                "{\"metadata\": {\"name\": \"sa\"}}", "{\"metadata\": {\"name\": \"other\"}}",
                "{\"metadata\": {\"namespace\": \"other\"}}", "{\"kind\": \"X\", \"apiVersion\": \"v1\"}",
                "{\"kind\": \"TokenRequest\", \"apiVersion\": \"authentication.k8s.io/v1\"}", "{\"unknown\": 1}",
                "{\"spec\": {\"boundObjectRef\": {\"kind\": \"Secret\", \"apiVersion\": \"v1\", \"name\": \"x\"}}}",
                "{\"spec\": {\"boundObjectRef\": {\"kind\": \"Node\", \"apiVersion\": \"v1\", \"name\": \"x\"}}}")) {
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
