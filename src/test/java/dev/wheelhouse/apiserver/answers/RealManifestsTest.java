package dev.wheelhouse.apiserver.answers;

import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.opentest4j.TestAbortedException;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.RawHttp;
import dev.wheelhouse.RealApiServer;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.apiserver.ApiServerOptions;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.resources.ResourceRegistry;
import dev.wheelhouse.apiserver.resources.RuntimeConfig;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.runtime.SafeYaml;

import static dev.wheelhouse.testing.Eventually.eventually;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Manifests of public projects, and mutations of them, are sent to a real kube-apiserver and to the embedded server:
 * each project's definitions, then its objects. Codes, causes, warnings and stored objects are compared. What differs
 * is in {@code target/manifests/differences.txt}.
 *
 * <p>{@code -Dwheelhouse.manifests=FOLDER} names a folder with a folder of manifests for each project;
 * {@code -Dwheelhouse.manifests.projects=REGEX} chooses some. {@code -Dwheelhouse.manifests.real=KUBECONFIG} names a
 * real server on 127.0.0.1 with a token; otherwise the test starts one.
 */
class RealManifestsTest {
    private static final String FOLDER = System.getProperty("wheelhouse.manifests", "");
    private static final String PROJECTS = System.getProperty("wheelhouse.manifests.projects", ".*");
    private static final String REAL = System.getProperty("wheelhouse.manifests.real", "");
    private static final int MUTATIONS = Integer.getInteger("wheelhouse.manifests.mutations", 10);
    private static final long SEED = Long.getLong("wheelhouse.manifests.seed", 1);
    private static final Path OUT = Path.of("target/manifests");
    private static final String NAMESPACE = "manifests";
    private static final String DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    private static final String DRY = "?dryRun=All&fieldValidation=Warn&fieldManager=manifests";

    /** Identifiers and addresses that each server chooses. */
    private static final Pattern ASSIGNED = Pattern.compile("\"(\\w{8}(-\\w{4}){3}-\\w{12}"
            + "|10\\.(9[6-9]|10\\d|11[01])\\.\\d+\\.\\d+)\"|(?<=odePort\":)3\\d{4}");

    private final Comparison comparison = new Comparison();
    private final Map<String, Integer> sent = new TreeMap<>();

    /** A kind by its {@code apiVersion} and name; the schema is that of a definition, or null for a built-in kind. */
    private record Served(ResourceType type, @Nullable JsonNode schema) {
        String path() {
            return (type.group().isEmpty() ? "/api/" : "/apis/") + type.apiVersion()
                    + (type.namespaced() ? "/namespaces/" + NAMESPACE : "") + "/" + type.plural();
        }
    }

    @Test
    @Timeout(7200)
    void publicManifestsAreAnsweredAlike(@TempDir Path directory) throws Exception {
        if (FOLDER.isEmpty()) {
            System.out.println("SKIPPED, because -Dwheelhouse.manifests names no folder of manifests");
            throw new TestAbortedException("-Dwheelhouse.manifests names no folder of manifests");
        }
        try (RealApiServer started = REAL.isEmpty() ? RealApiServer.startOrSkip(directory) : null;
                HttpWire real = started == null
                        ? HttpWire.of(Path.of(REAL))
                        : new HttpWire(started.port(), true, RealApiServer.TOKEN);
                ApiServer server = new ApiServer(
                        ApiServerOptions.defaults().withRuntimeConfig(RuntimeConfig.parse("api/all=true"))).start();
                HttpWire ours = new HttpWire(server.port(), false, "");
                ExecutorService requests = Executors.newSingleThreadExecutor();
                Stream<Path> projects = Files.list(Path.of(FOLDER))) {
            eventually("the real server is ready", Duration.ofMinutes(2),
                    () -> real.send(Probe.get("/readyz")).code() == 200);
            for (HttpWire wire : List.of(real, ours)) {
                wire.send(Probe.post("/api/v1/namespaces", "{\"metadata\": {\"name\": \"" + NAMESPACE + "\"}}"));
                wire.send(Probe.post("/api/v1/namespaces/" + NAMESPACE + "/serviceaccounts",
                        "{\"metadata\": {\"name\": \"default\"}, \"automountServiceAccountToken\": false}"));
            }
            for (Path project : projects.sorted().toList()) {
                if (Files.isDirectory(project) && project.getFileName().toString().matches(PROJECTS)) {
                    new Project(project, real, ours, requests).play();
                    comparison.write(OUT);
                }
            }
            Probe namespace = Probe.delete("/api/v1/namespaces/" + NAMESPACE);
            real.send(namespace);
            real.send(Probe.put(namespace.target() + "/finalize", "{\"metadata\": {\"name\": \"" + NAMESPACE
                    + "\"}, \"spec\": {\"finalizers\": []}}"));
        }
        System.out.println(comparison.summary());
        sent.forEach((scene, number) -> {
            int alike = number - comparison.differing(Pattern.compile(scene.replace("all ", ".* ")));
            System.out.printf("%-45s %6d of %6d alike, %.2f %%%n", scene, alike, number, 100.0 * alike / number);
        });
        int all = comparison.sent();
        assertThat(all - comparison.differing(Pattern.compile(".*"))).as("answers alike of %d, see %s", all, OUT)
                .isGreaterThanOrEqualTo((int) (all * 0.995));
    }

    private final class Project {
        private final String name;
        private final HttpWire real;
        private final HttpWire ours;
        private final ExecutorService requests;
        private final List<ObjectNode> definitions = new ArrayList<>();
        private final List<ObjectNode> samples = new ArrayList<>();
        private final Map<String, Served> kinds = new HashMap<>();
        private final SplittableRandom random = new SplittableRandom(SEED);
        private final Mutations mutations = new Mutations(random);

        Project(Path folder, HttpWire real, HttpWire ours, ExecutorService requests) throws IOException {
            this.name = folder.getFileName().toString();
            this.real = real;
            this.ours = ours;
            this.requests = requests;
            List<Path> files;
            try (Stream<Path> all = Files.walk(folder)) {
                files = all.filter(file -> file.toString().matches(".*\\.(ya?ml|json)")).sorted().toList();
            }
            for (Path file : files) {
                try {
                    SafeYaml.documents(Files.readAllBytes(file)).forEachRemaining(document -> {
                        if (Json.mapper().valueToTree(document.value()) instanceof ObjectNode manifest) {
                            (Json.text(manifest, "kind").equals("CustomResourceDefinition") ? definitions : samples)
                                    .add(manifest);
                        }
                    });
                } catch (SafeYaml.MalformedException e) {
                    System.out.println(file + ": " + e.getMessage());
                }
            }
            for (ResourceInfo info : ResourceRegistry.builtIn().all()) {
                kinds.put(info.type().apiVersion() + " " + info.type().kind(), new Served(info.type(), null));
            }
        }

        void play() throws Exception {
            Map<String, ObjectNode> created = new LinkedHashMap<>();
            try {
                ResourceInfo info = ResourceRegistry.builtIn().all().stream()
                        .filter(i -> i.type().plural().equals("customresourcedefinitions")).findFirst().orElseThrow();
                for (ObjectNode definition : definitions) {
                    for (int i = 0; i < MUTATIONS / 2; i++) {
                        compare("definition's mutation", Probe.post(DEFINITIONS + DRY,
                                mutations
                                        .mutate(definition,
                                                Schemas.ofKind(info.type().apiVersion(), info.type().kind()))
                                        .toString()));
                    }
                    String path = DEFINITIONS + "/" + Json.text(definition, "metadata", "name");
                    if (compare("definition", Probe.post(DEFINITIONS + "?fieldManager=manifests",
                            definition.toString())).code() == 201) {
                        created.put(path, definition);
                    }
                }
                for (Map.Entry<String, ObjectNode> definition : created.entrySet()) {
                    served(definition.getValue());
                    for (HttpWire wire : List.of(real, ours)) {
                        eventually(definition.getKey() + " is established", Duration.ofMinutes(1), () -> wire
                                .exchange(Probe.get(definition.getKey())).body()
                                .contains("InitialNamesAccepted\",\"message\":\"the init"));
                    }
                    compare("definition", Probe.get(definition.getKey()));
                }
                for (ObjectNode sample : samples) {
                    Served kind = kinds.get(Json.text(sample, "apiVersion") + " " + Json.text(sample, "kind"));
                    if (kind != null) {
                        sample(sample, kind);
                    }
                }
            } finally {
                for (String path : created.keySet()) {
                    real.send(Probe.delete(path));
                    ours.send(Probe.delete(path));
                }
                for (String path : created.keySet()) {
                    eventually(path + " is gone", Duration.ofMinutes(2),
                            () -> real.send(Probe.get(path)).code() == 404);
                }
            }
            System.out.println(name + ": " + definitions.size() + " definitions, " + samples.size() + " samples, "
                    + comparison.differing(Pattern.compile(name + " .*")) + " differ of " + sent.entrySet().stream()
                            .filter(e -> e.getKey().startsWith(name + " ")).mapToInt(Map.Entry::getValue).sum());
        }

        private void served(ObjectNode definition) throws Exception {
            JsonNode spec = definition.path("spec");
            for (JsonNode version : spec.path("versions")) {
                Served kind = new Served(new ResourceType(Json.text(spec, "group"), Json.text(version, "name"),
                        Json.text(spec, "names", "plural"), Json.text(spec, "names", "kind"),
                        Json.text(spec, "scope").equals("Namespaced")),
                        version.path("schema").path("openAPIV3Schema"));
                kinds.put(kind.type.apiVersion() + " " + kind.type.kind(), kind);
                for (HttpWire wire : List.of(real, ours)) {
                    if (version.path("served").asBoolean(false)) {
                        eventually(kind.path() + " is served", Duration.ofMinutes(1),
                                () -> wire.send(Probe.get(kind.path() + "?limit=1")).code() == 200);
                    }
                }
            }
        }

        private void sample(ObjectNode sample, Served kind) throws Exception {
            ObjectNode object = sample.deepCopy();
            if (object.get("metadata") instanceof ObjectNode metadata) {
                metadata.remove(List.of("finalizers", "ownerReferences", "creationTimestamp", "uid", "resourceVersion",
                        "selfLink", "managedFields", "deletionTimestamp"));
                if (kind.type.namespaced()) {
                    metadata.put("namespace", NAMESPACE);
                }
            }
            if (kind.type.kind().equals("Pod") && object.get("spec") instanceof ObjectNode spec) {
                spec.remove(List.of("serviceAccount", "serviceAccountName"));
                spec.put("automountServiceAccountToken", false); // The embedded server has no accounts.
            }
            String path = kind.path();
            String own = path + "/" + URLEncoder.encode(Json.text(object, "metadata", "name"), StandardCharsets.UTF_8);
            boolean custom = kind.schema != null;
            boolean named = object.path("metadata").has("name");
            int code = compare("sample", Probe.post(path + DRY, object.toString())).code();
            if (named) {
                compare("sample", Probe.apply(own + DRY + "&force=true", object.toString()));
            }
            boolean stored = code == 201 && custom && named;
            if (stored) {
                real.send(Probe.post(path, object.toString()));
                ours.send(Probe.post(path, object.toString()));
            }
            for (int i = 0; i < MUTATIONS; i++) {
                ObjectNode changed = custom && i % 3 == 0
                        ? mutations.add(object, Objects.requireNonNull(kind.schema))
                        : mutations.mutate(object,
                                custom ? null : Schemas.ofKind(kind.type.apiVersion(), kind.type.kind()));
                if (i == 7) {
                    changed.put("apiVersion", kind.type.group().isEmpty() ? "v9" : kind.type.group() + "/v9");
                }
                String body = changed.toString();
                if (stored && i % 2 == 1) {
                    if (changed.get("metadata") instanceof ObjectNode metadata) {
                        metadata.put("resourceVersion", "${rv " + own + "}");
                    }
                    compare("mutation", Probe.put(own + DRY, changed.toString()));
                } else if (i == 4 && named) {
                    compare("mutation", Probe.apply(own + DRY + "&force=true", body));
                } else {
                    ObjectNode other = changed.deepCopy();
                    if (stored && other.get("metadata") instanceof ObjectNode metadata && metadata.has("name")) {
                        metadata.put("name", metadata.path("name").asString("") + "-m");
                    }
                    compare("mutation", Probe.post(path + DRY, other.toString()));
                }
            }
            if (stored) {
                real.send(Probe.delete(own));
                ours.send(Probe.delete(own));
            }
        }

        /** Sends it to both, and compares the stored objects as if they were messages. */
        private Answer compare(String what, Probe probe) throws Exception {
            Future<RawHttp.Answer> asked = requests.submit(() -> real.exchange(real.filled(probe)));
            RawHttp.Answer found = ours.exchange(ours.filled(probe));
            RawHttp.Answer wanted = asked.get();
            Answer answer = Answer.of(probe, wanted).sorted();
            boolean unestablished = what.startsWith("definition") && probe.method().equals("POST");
            String difference = wanted.code() < 300 && found.code() < 300
                    ? stored(wanted, found, unestablished)
                    : "";
            String scene = name + " " + what;
            for (String counted : List.of(scene, "all " + what)) {
                sent.merge(counted, 1, Integer::sum);
            }
            Answer other = Answer.of(probe, found).sorted();
            comparison.add(scene, comparison.sent(), probe, answer,
                    difference.isEmpty() ? other : other.withMessage(difference));
            return answer;
        }
    }

    private static String stored(RawHttp.Answer wanted, RawHttp.Answer found, boolean unestablished) {
        List<String> differences = new ArrayList<>();
        ObjectNode left = normal(wanted.body());
        ObjectNode right = normal(found.body());
        if (unestablished) { // A real server decides about names after its answer.
            for (ObjectNode definition : List.of(left, right)) {
                definition.remove("status");
                ((ArrayNode) definition.path("metadata").withArray("managedFields"))
                        .removeIf(entry -> Json.text(entry, "manager").equals("kube-apiserver"));
            }
        }
        compare("", left, right, differences);
        return String.join("; ", differences);
    }

    private static ObjectNode normal(String body) {
        ObjectNode object = (ObjectNode) Json.read(ASSIGNED.matcher(body).replaceAll("\"-\""));
        String base = Json.text(object, "metadata", "generateName");
        if (!base.isEmpty()) {
            return normal(body.replace("\"generateName\":\"" + base + "\"", "\"generateName\":\"\"")
                    .replace("\"" + Json.text(object, "metadata", "name") + "\"", "\"" + base + "\""));
        }
        if (object.get("metadata") instanceof ObjectNode metadata) {
            metadata.remove(List.of("uid", "resourceVersion", "creationTimestamp"));
            if (metadata.get("managedFields") instanceof ArrayNode entries) {
                entries.forEach(entry -> ((ObjectNode) entry).remove("time"));
                sort(entries);
            }
        }
        if (Json.text(object, "kind").equals("Pod") && object.get("spec") instanceof ObjectNode spec) {
            spec.remove(List.of("serviceAccount", "serviceAccountName"));
        }
        if (object.path("status").get("conditions") instanceof ArrayNode conditions) {
            conditions.forEach(condition -> {
                if (condition instanceof ObjectNode changing) {
                    changing.remove("lastTransitionTime");
                }
            });
            sort(conditions);
        }
        return object;
    }

    /** Sorts what is in the order of times. */
    private static void sort(ArrayNode list) {
        List<JsonNode> sorted = list.valueStream().sorted(Comparator.comparing(
                entry -> Json.text(entry, "type") + Json.text(entry, "operation") + Json.text(entry, "manager")
                        + Json.text(entry, "subresource")))
                .toList();
        list.removeAll().addAll(sorted);
    }

    private static void compare(String path, @Nullable JsonNode wanted, @Nullable JsonNode found,
            List<String> differences) {
        if (wanted instanceof ObjectNode left && found instanceof ObjectNode right) {
            left.properties().forEach(f -> compare(path + "." + f.getKey(), f.getValue(), right.get(f.getKey()),
                    differences));
            right.properties().forEach(f -> {
                if (!left.has(f.getKey())) {
                    compare(path + "." + f.getKey(), null, f.getValue(), differences);
                }
            });
        } else if (wanted instanceof ArrayNode left && found instanceof ArrayNode right
                && left.size() == right.size()) {
            for (int i = 0; i < left.size(); i++) {
                compare(path + "[" + i + "]", left.get(i), right.get(i), differences);
            }
        } else if (differences.size() < 10 && !String.valueOf(wanted).equals(String.valueOf(found))) {
            differences.add(path + ": real " + wanted + ", ours " + found);
        }
    }
}
