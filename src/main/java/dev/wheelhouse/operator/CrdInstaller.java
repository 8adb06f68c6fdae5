package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1CustomResourceDefinition;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.manager.Preparation;

/**
 * Installs or checks an operator's CustomResourceDefinition, as its {@link CrdPolicy} says, before the operator is
 * made. An update takes no field away: stored objects would lose the field's values. Not thread safe.
 */
final class CrdInstaller implements Preparation {
    private static final Logger log = LoggerFactory.getLogger(CrdInstaller.class);
    /** The most fields that a sentence names. */
    private static final int MOST_NAMED = 10;
    /** The parts of a schema that describe the elements of a list or a map. */
    private static final List<String> ELEMENTS = List.of("items", "additionalProperties");

    private final Declaration<?> operator;
    private final ObjectKey name;
    private final V1CustomResourceDefinition wanted;
    private boolean installed;

    /** @throws IllegalArgumentException if no definition can be made of the operator's class */
    CrdInstaller(Declaration<?> operator) {
        this.operator = operator;
        this.wanted = operator.definition().orElseThrow();
        this.name = ObjectKey.of(wanted);
    }

    /**
     * Installs or checks the definition, with three requests at most. A definition is installed once: if it
     * is deleted later, it stays deleted until the process starts again. A process that may not write now only checks.
     *
     * @return the reason to wait, in a sentence; empty if the operator can start
     * @throws IllegalStateException if the policy cannot be fulfilled; the message is a sentence with the remedy
     * @throws KubeApiException if the API server does not answer; a later call may succeed
     */
    @Override
    public String prepare(ControllerContext context) {
        return prepare(context.client(), context.of(operator.name()).mayWrite());
    }

    String prepare(KubeClient client, boolean writes) {
        ResourceClient<V1CustomResourceDefinition> definitions = client.resource(Crds.TYPE,
                V1CustomResourceDefinition.class);
        try {
            V1CustomResourceDefinition stored = definitions.find(name).orElse(null);
            if (stored != null) {
                checkNames(stored);
            }
            if (operator.crd() == CrdPolicy.INSTALL && !installed && writes) {
                stored = install(definitions, stored);
                installed = true;
            }
            if (stored == null) {
                return operator.name() + " waits for the definition " + name.name();
            }
            check(ModelJson.tree(stored));
            return whyNotServed(ModelJson.tree(stored));
        } catch (KubeApiException e) {
            if (e.isForbidden()) {
                String verbs = operator.crd() == CrdPolicy.INSTALL ? "get, create and patch" : "get";
                throw new IllegalStateException(operator.name() + " declares CrdPolicy." + operator.crd()
                        + ", but may not do it: " + e.getMessage() + ". Grant " + verbs + " on " + Crds.TYPE
                        + ", as the roles of Manifests do, or declare CrdPolicy.WAIT", e);
            }
            throw e;
        }
    }

    /** @return the definition as stored */
    private V1CustomResourceDefinition install(ResourceClient<V1CustomResourceDefinition> definitions,
            @Nullable V1CustomResourceDefinition stored) {
        ObjectNode body = (ObjectNode) ModelJson.tree(wanted);
        if (stored != null) {
            ObjectNode before = (ObjectNode) ModelJson.tree(stored);
            List<String> lost = lost(before, body);
            if (!lost.isEmpty()) {
                if (!lost(body, before).isEmpty()) {
                    throw new IllegalStateException(operator.name() + " cannot update the definition " + name.name()
                            + ", because stored objects would lose fields that " + model() + " lacks: " + list(lost)
                            + ". Add them to the class, or remove them from the definition by kubectl");
                }
                log.warn("{} leaves the definition {} as it is, because it has fields that {} lacks: {}. Remove them "
                        + "by kubectl if they are not those of a newer operator", operator.name(), name.name(),
                        model(), list(lost));
                return stored;
            }
            List<String> demanded = demanded(before, body);
            if (!demanded.isEmpty()) {
                throw new IllegalStateException(operator.name() + " cannot update the definition " + name.name()
                        + ", because stored objects may lack fields that " + model() + " requires now: "
                        + list(demanded) + ". Give them a @Default, make them @Nullable or take @Required away, or "
                        + "apply the definition that Manifests writes by kubectl, once all objects have them");
            }
            keepOtherVersions(before, body);
            ((ObjectNode) body.get("metadata")).put("resourceVersion", stored.getMetadata().getResourceVersion());
        }
        V1CustomResourceDefinition answer = definitions.apply(name, "", operator.fieldManager(), true,
                ModelJson.write(body));
        if (stored == null || !String.valueOf(stored.getMetadata().getResourceVersion())
                .equals(answer.getMetadata().getResourceVersion())) {
            log.info("{} {} the definition {}", operator.name(), stored == null ? "created" : "updated", name.name());
        }
        return answer;
    }

    /**
     * Adds the versions that the stored definition has and the class lacks. Objects may be stored in them, and clients
     * may use them.
     */
    private static void keepOtherVersions(JsonNode before, ObjectNode body) {
        ArrayNode versions = (ArrayNode) body.at("/spec/versions");
        for (JsonNode old : before.at("/spec/versions")) {
            if (version(body, old.path("name").asString()) == null) {
                versions.add(((ObjectNode) old.deepCopy()).put("storage", false));
            }
        }
    }

    /** A definition of another scope or kind cannot be changed into the class's: it serves other objects. */
    private void checkNames(V1CustomResourceDefinition stored) {
        String scope = wanted.getSpec().getScope();
        String kind = wanted.getSpec().getNames().getKind();
        if (!scope.equals(stored.getSpec().getScope()) || !kind.equals(stored.getSpec().getNames().getKind())) {
            throw new IllegalStateException(operator.name() + " does not start, because the installed definition "
                    + name.name() + " is of " + stored.getSpec().getScope() + " objects of the kind "
                    + stored.getSpec().getNames().getKind() + ", and " + model() + " of " + scope
                    + " objects of the kind " + kind + ". Correct kind and namespaced in its @ResourceDefinition, or "
                    + "delete the definition with all of its objects");
        }
    }

    private void check(JsonNode stored) {
        List<String> lost = lost(ModelJson.tree(wanted), stored);
        if (!lost.isEmpty()) {
            throw new IllegalStateException(operator.name() + " does not start, because the installed definition "
                    + name.name() + " lacks what " + model() + " has, so that it would be lost: " + list(lost)
                    + ". Install the definition that Manifests writes, or declare CrdPolicy.INSTALL");
        }
    }

    private String whyNotServed(JsonNode stored) {
        for (JsonNode condition : stored.at("/status/conditions")) {
            boolean isTrue = condition.path("status").asString("").equals("True");
            if (condition.path("type").asString("").equals("NamesAccepted") && !isTrue) {
                return "the API server does not accept the names of " + name.name() + ": "
                        + condition.path("message").asString("");
            }
            if (condition.path("type").asString("").equals("Established") && isTrue) {
                return "";
            }
        }
        return operator.name() + " waits until the definition " + name.name() + " is established";
    }

    private String model() {
        return operator.primary().typed() ? operator.primary().model().getSimpleName() : "the declared definition";
    }

    private static String list(List<String> fields) {
        return String.join(", ", fields.subList(0, Math.min(fields.size(), MOST_NAMED)))
                + (fields.size() > MOST_NAMED ? " and " + (fields.size() - MOST_NAMED) + " more" : "");
    }

    /**
     * The losses of stored values when the definition {@code to} replaces {@code from}. A loss is a field, such as
     * {@code v1 .spec.hosts[]}, that {@code to} lacks or has with another type in a version that both have; or a
     * version of the operator's class that {@code to} lacks.
     */
    private List<String> lost(JsonNode from, JsonNode to) {
        List<String> lost = new ArrayList<>();
        for (JsonNode version : from.at("/spec/versions")) {
            String versionName = version.path("name").asString();
            JsonNode other = version(to, versionName);
            if (other == null) {
                if (version(ModelJson.tree(wanted), versionName) != null) {
                    lost.add("version " + versionName);
                }
                continue;
            }
            Map<String, String> kept = fields(other);
            Set<String> lostHere = new HashSet<>();
            fields(version).forEach((path, type) -> {
                String now = kept.getOrDefault(path, isInside(path, at -> "any".equals(kept.get(at))) ? "any" : "");
                if (!now.equals(type) && !now.equals("any") && !isInside(path, lostHere::contains)) {
                    lostHere.add(path);
                    lost.add(versionName + " " + path
                            + (now.isEmpty() ? "" : " (" + type + " becomes " + now + ")"));
                }
            });
        }
        return lost;
    }

    /**
     * The fields that objects need when the definition {@code to} replaces {@code from}, and that stored objects may
     * lack: they are required now, and have no default, in an object that both definitions have.
     */
    private static List<String> demanded(JsonNode from, JsonNode to) {
        List<String> demanded = new ArrayList<>();
        for (JsonNode version : to.at("/spec/versions")) {
            JsonNode other = version(from, version.path("name").asString());
            if (other != null) {
                demanded(other.at("/schema/openAPIV3Schema"), version.at("/schema/openAPIV3Schema"),
                        version.path("name").asString() + " ", demanded);
            }
        }
        return demanded;
    }

    private static void demanded(JsonNode from, JsonNode to, String path, List<String> into) {
        if (from.isMissingNode() || to.isMissingNode()) {
            return;
        }
        Set<String> before = from.path("required").valueStream().map(JsonNode::asString).collect(Collectors.toSet());
        to.path("required").valueStream().map(JsonNode::asString).filter(field -> !before.contains(field)
                && to.path("properties").path(field).path("default").isMissingNode())
                .forEach(field -> into.add(path + "." + field));
        to.path("properties").properties().forEach(property -> demanded(
                from.path("properties").path(property.getKey()), property.getValue(), path + "." + property.getKey(),
                into));
        for (String elements : ELEMENTS) {
            demanded(from.path(elements), to.path(elements), path + "[]", into);
        }
    }

    /** Whether a field that contains this one fulfils the condition. */
    private static boolean isInside(String path, Predicate<String> condition) {
        for (int end = path.length() - 1; end >= 0; end--) {
            if (".[".indexOf(path.charAt(end)) >= 0 && condition.test(path.substring(0, end))) {
                return true;
            }
        }
        return false;
    }

    private static @Nullable JsonNode version(JsonNode definition, String versionName) {
        return definition.at("/spec/versions").valueStream()
                .filter(version -> version.path("name").asString("").equals(versionName)).findFirst().orElse(null);
    }

    /** The types of a version's fields by path, each before the fields inside of it. */
    private static Map<String, String> fields(JsonNode version) {
        Map<String, String> fields = new TreeMap<>();
        collect(version.at("/schema/openAPIV3Schema"), "", fields);
        return fields;
    }

    private static void collect(JsonNode schema, String path, Map<String, String> into) {
        boolean any = schema.path("x-kubernetes-preserve-unknown-fields").asBoolean(false);
        boolean either = schema.path("x-kubernetes-int-or-string").asBoolean(false);
        into.put(path, any ? "any" : either ? "integer or string" : schema.path("type").asString("any"));
        schema.path("properties").properties().forEach(e -> collect(e.getValue(), path + "." + e.getKey(), into));
        for (String elements : ELEMENTS) {
            if (schema.path(elements).isObject()) {
                collect(schema.path(elements), path + "[]", into);
            }
        }
    }
}
