package dev.wheelhouse.apiserver.discovery;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.facts.ResourceInfo;
import dev.wheelhouse.facts.Schemas;
import dev.wheelhouse.facts.TypeSchema;
import dev.wheelhouse.runtime.Hashes;

/** The documents for one state of the registry. Each is created when it is first requested. Thread safe. */
final class OpenApiDocuments {
    private static final String META = "io.k8s.apimachinery.pkg.apis.meta.v1.";
    private static final SchemaWriter V3_SCHEMAS = new SchemaWriter(Dialect.V3);
    /** The key of the document of OpenAPI v2, which is no path. */
    private static final String V2 = "v2";
    /** The digests of built-in types' v3 schemas, by type name. They never change. */
    private static final Map<String, byte[]> SCHEMA_DIGESTS = new ConcurrentHashMap<>();

    private final List<ResourceInfo> state;
    private final Elsewhere elsewhere;
    /** The content of each document, by its path. */
    private final Map<String, Scope> scopes = new TreeMap<>();
    private final Map<String, ObjectNode> documents = new ConcurrentHashMap<>();
    private final Map<String, String> hashes = new ConcurrentHashMap<>();
    private byte @Nullable [] v2Protobuf;

    /** The content of a document. It has no version and no resources if it is about a group or the server itself. */
    private record Scope(String group, String version, List<ResourceInfo> resources) {}

    OpenApiDocuments(List<ResourceInfo> state, Elsewhere elsewhere) {
        this.state = state;
        this.elsewhere = elsewhere;
        GroupVersions all = GroupVersions.of(state);
        scopes.put("api", new Scope("", "", List.of()));
        scopes.put("apis", new Scope("", "", List.of()));
        all.byGroup().forEach((group, versions) -> {
            if (!group.isEmpty()) {
                scopes.put("apis/" + group, new Scope(group, "", List.of()));
            }
            versions.forEach((version, resources) -> scopes.put(
                    group.isEmpty() ? "api/" + version : "apis/" + group + "/" + version,
                    new Scope(group, version, resources)));
        });
    }

    Elsewhere elsewhere() {
        return elsewhere;
    }

    /** Whether another server has a document: that of its group version, or of a group that this server has not. */
    boolean isElsewhere(String path) {
        return elsewhere.openApi().containsKey(path)
                && (!scopes.containsKey(path) || elsewhere.entries().containsKey(path.substring("apis/".length())));
    }

    Set<String> paths() {
        return scopes.keySet();
    }

    ObjectNode v3(String path) {
        return documents.computeIfAbsent(path, this::write);
    }

    private ObjectNode write(String path) {
        Scope scope = scopes.getOrDefault(path, new Scope("", "", List.of()));
        ObjectNode document = Json.object().put("openapi", "3.0.0");
        addInfo(document);
        ObjectNode paths = document.putObject("paths");
        PathsWriter writer = new PathsWriter(Dialect.V3, paths);
        addRoot(writer, path, scope);
        TreeSet<String> names = new TreeSet<>();
        scope.resources.forEach(writer::addResource);
        if (scope.resources.stream().anyMatch(r -> r.verbs().contains("watch"))) {
            SchemaWriter.collect(META + "WatchEvent", names);
        }
        paths.findValuesAsString("$ref")
                .forEach(ref -> SchemaWriter.collect(ref.substring(ref.lastIndexOf('/') + 1), names));
        ObjectNode schemas = document.putObject("components").putObject("schemas");
        Map<String, ObjectNode> custom = customSchemas(scope.resources, Dialect.V3);
        if (!custom.isEmpty()) {
            SchemaWriter.collect(META + "ObjectMeta", names);
            SchemaWriter.collect(META + "ListMeta", names);
        }
        custom.forEach(schemas::set);
        for (String name : names) {
            TypeSchema type = Schemas.ofName(name);
            if (type != null) {
                schemas.set(name, V3_SCHEMAS.schema(type));
            }
        }
        return document;
    }

    private static void addInfo(ObjectNode document) {
        document.putObject("info").put("title", "Kubernetes").put("version", "unversioned");
    }

    private static void addRoot(PathsWriter writer, String path, Scope scope) {
        String group = PathsWriter.groupName(scope.group);
        String tag = PathsWriter.tag(scope.group, scope.version);
        if (!scope.version.isEmpty()) {
            writer.addDocument("/" + path + "/", "get" + group + PathsWriter.capital(scope.version) + "APIResources",
                    tag, META + "APIResourceList");
        } else if (path.equals("api")) {
            writer.addDocument("/api/", "getCoreAPIVersions", tag, META + "APIVersions");
        } else if (path.equals("apis")) {
            writer.addDocument("/apis/", "getAPIVersions", "apis", META + "APIGroupList");
        } else {
            writer.addDocument("/" + path + "/", "get" + group + "APIGroup", tag, META + "APIGroup");
        }
    }

    /** The schemas of custom kinds and of their lists. */
    private static Map<String, ObjectNode> customSchemas(List<ResourceInfo> resources, Dialect dialect) {
        Map<String, ObjectNode> schemas = new LinkedHashMap<>();
        for (ResourceInfo resource : resources) {
            String apiVersion = resource.type().apiVersion();
            String kind = resource.type().kind();
            if (SchemaNames.builtIn(apiVersion, kind) == null) {
                schemas.put(SchemaNames.of(apiVersion, kind), CustomSchemas.of(resource, dialect));
                schemas.put(SchemaNames.of(apiVersion, kind + "List"), CustomSchemas.list(resource, dialect));
            }
        }
        return schemas;
    }

    /** A digest of the paths and of each schema's own digest, so that built-in schemas are digested only once. */
    String hash(String path) {
        return hashes.computeIfAbsent(path, p -> {
            ObjectNode document = v3(p);
            MessageDigest digest = Hashes.digest("SHA-512");
            digest.update(Json.bytes(document.get("paths")));
            document.at("/components/schemas").properties().forEach(schema -> {
                digest.update(schema.getKey().getBytes(StandardCharsets.UTF_8));
                digest.update(Schemas.ofName(schema.getKey()) == null
                        ? Json.bytes(schema.getValue())
                        : SCHEMA_DIGESTS.computeIfAbsent(schema.getKey(),
                                n -> Hashes.of("SHA-256", Json.bytes(schema.getValue()))));
            });
            return hex(digest.digest());
        });
    }

    static String hex(byte[] digest) {
        return HexFormat.of().withUpperCase().formatHex(digest);
    }

    ObjectNode v2() {
        return documents.computeIfAbsent(V2, path -> writeV2());
    }

    String v2Hash() {
        return hashes.computeIfAbsent(V2, path -> hex(Hashes.of("SHA-512", Json.bytes(v2()))));
    }

    synchronized byte[] v2Protobuf() {
        if (v2Protobuf == null) {
            v2Protobuf = GnosticEncoder.encode(v2());
        }
        return v2Protobuf;
    }

    private ObjectNode writeV2() {
        ObjectNode document = Json.object().put("swagger", "2.0");
        addInfo(document);
        PathsWriter writer = new PathsWriter(Dialect.V2, document.putObject("paths"));
        scopes.forEach((path, scope) -> {
            addRoot(writer, path, scope);
            scope.resources.forEach(writer::addResource);
        });
        ObjectNode definitions = document.putObject("definitions");
        SchemaWriter schemas = new SchemaWriter(Dialect.V2);
        Schemas.all().forEach(type -> definitions.set(type.name(), schemas.schema(type)));
        customSchemas(state, Dialect.V2).forEach(definitions::set);
        elsewhere.addTo((ObjectNode) document.path("paths"), definitions);
        return document;
    }
}
