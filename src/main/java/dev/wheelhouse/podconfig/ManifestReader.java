package dev.wheelhouse.podconfig;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.openapi.models.V1Pod;

import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.exc.MismatchedInputException;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.defaults.PodDefaults;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Formats;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.PodValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.podconfig.YamlDocuments.Document;

/**
 * Reads static pods from manifests: YAML or JSON, one or more documents, each a Pod or a PodList. If one pod cannot be
 * used, the whole manifest is refused (upstream: {@code pkg/kubelet/config/common.go}). A pod gets the API server's
 * defaults before its UID is computed, so a default that is written out changes nothing. The API server's rules of pods
 * hold for it. Pure functions.
 */
final class ManifestReader {
    private static final Pattern STEP = Pattern.compile("\\[([0-9]{1,9})]|\\[[^]]*]|[^.\\[]+");
    private static final ObjectReader PODS = ModelJson
            .withoutCoercion(ModelJson.mapperForModels().rebuild()).build().readerFor(V1Pod.class);

    private ManifestReader() {}

    /**
     * Reads a manifest.
     *
     * @param location the file or URL, for messages
     * @param origin adds name, UID and tolerations of static pods
     * @return the pods in order, completed by {@code origin}; empty for an empty manifest
     */
    static List<V1Pod> read(String location, byte[] bytes, StaticPods origin) throws ManifestException {
        List<V1Pod> pods = new ArrayList<>();
        for (Document document : YamlDocuments.read(location, bytes)) {
            String kind = document.json().path("kind").asString("");
            String version = document.json().path("apiVersion").asString("");
            if (!document.json().isObject()) {
                throw refused(location, document, List.of(), found(document.json())
                        + " where an object should be: write apiVersion, kind, metadata and spec of a Pod");
            }
            if (kind.equals("List") || kind.equals("PodList")) {
                JsonNode items = document.json().path("items");
                if (!items.isArray() && !items.isMissingNode() && !items.isNull()) {
                    throw refused(location, document, List.of("items"), found(items) + " where a list should be");
                }
                for (int i = 0; i < items.size(); i++) {
                    pods.add(pod(location, document, items.get(i), List.of("items", i), origin, true));
                }
            } else if (!version.equals("v1") || !kind.equals("Pod")) {
                throw refused(location, document, List.of(kind.equals("Pod") ? "apiVersion" : "kind"),
                        "it is of kind \"" + kind + "\" and apiVersion \"" + version
                                + "\": only v1 Pods can be static pods");
            } else {
                pods.add(pod(location, document, document.json(), List.of(), origin, false));
            }
        }
        return pods;
    }

    private static String found(JsonNode json) {
        if (json.isString()) {
            return json.asString().startsWith("<") ? "a web page, or other XML," : "plain text";
        }
        return json.isArray() ? "a list" : json.isObject() ? "an object" : json.isNumber() ? "a number" : "one word";
    }

    private static V1Pod pod(String location, Document document, JsonNode json, List<Object> at, StaticPods origin,
            boolean item) throws ManifestException {
        if (item && !json.path("kind").asString("Pod").equals("Pod")) {
            throw refused(location, document, at,
                    "it is of kind \"" + json.path("kind").asString("") + "\": only v1 Pods can be static pods");
        }
        List<Object> hole = nullElement(json);
        if (hole != null) {
            List<Object> path = new ArrayList<>(at);
            path.addAll(hole);
            throw refused(location, document, path, "the list has an empty element: remove it");
        }
        ObjectNode content;
        V1Pod pod;
        List<StatusCause> problems;
        try {
            content = (ObjectNode) ModelJson.tree(PODS.<V1Pod>readValue(json));
            List<StatusCause> references = StaticPodReferences.find(content);
            PodDefaults.apply(content);
            problems = problems(content, origin, references);
            pod = PODS.readValue(content);
        } catch (MismatchedInputException e) {
            throw refused(location, document, path(at, e),
                    "wrong type of value; expected " + expected(e) + " here");
        } catch (JacksonException e) {
            throw refused(location, document, path(at, e), e.getOriginalMessage());
        } catch (RuntimeException e) {
            throw refused(location, document, at, "a value that cannot be read: " + e.getMessage());
        }
        if (!problems.isEmpty()) {
            List<Object> path = new ArrayList<>(at);
            path.addAll(steps(problems.getFirst().field()));
            String more = problems.size() == 1 ? "" : " (and " + (problems.size() - 1) + " more)";
            throw refused(location, document, path, problems.getFirst().message() + more);
        }
        return origin.complete(pod, content, location);
    }

    /**
     * The rules of the API server that a static pod breaks, and its references, of which it may have none.
     *
     * @param content the pod with its defaults, before its name is completed
     */
    private static List<StatusCause> problems(ObjectNode content, StaticPods origin, List<StatusCause> references) {
        ObjectNode pod = content.deepCopy().put("apiVersion", "v1").put("kind", "Pod");
        if (Json.text(pod, "metadata", "namespace").isEmpty()) {
            Json.child(pod, "metadata").put("namespace", StaticPods.NAMESPACE);
        }
        Problems problems = new Problems();
        MetadataValidation.create(pod, true, name -> Formats.dnsSubdomain(origin.nameOf(name)), problems);
        PodValidation.pod(pod, problems);
        if (!pod.path("spec").path("ephemeralContainers").isEmpty()) {
            problems.forbidden("spec.ephemeralContainers", "cannot be set on create");
        }
        references.forEach(problems::add);
        return problems.causes();
    }

    /** The steps of a path of a rule, such as {@code spec.containers[0].image}. Keys of maps are in brackets, too. */
    private static List<Object> steps(String path) {
        return STEP.matcher(path).results().<Object>map(step -> {
            String text = step.group().replaceAll("[\\[\\]]", "");
            return step.start(1) < 0 ? text : Integer.valueOf(text);
        }).toList();
    }

    /** The path of the first null in a list; null if there is none. No list of a Pod may contain null. */
    private static @Nullable List<Object> nullElement(JsonNode node) {
        for (int i = 0; node.isArray() && i < node.size(); i++) {
            List<Object> below = node.get(i).isNull() ? new ArrayList<>() : nullElement(node.get(i));
            if (below != null) {
                below.addFirst(i);
                return below;
            }
        }
        for (String field : node.isObject() ? node.propertyNames() : List.<String>of()) {
            List<Object> below = nullElement(node.path(field));
            if (below != null) {
                below.addFirst(field);
                return below;
            }
        }
        return null;
    }

    private static String expected(MismatchedInputException e) {
        Class<?> type = e.getTargetType();
        if (type == null) {
            return "another type";
        }
        return switch (type.getSimpleName()) {
            case "String" -> "text (put it in quotes)";
            case "Integer", "Long" -> "a whole number";
            case "Boolean" -> "true or false";
            case "ArrayList", "List" -> "a list";
            case "LinkedHashMap", "Map", "HashMap" -> "a map";
            default -> type.getSimpleName().startsWith("V1") ? "an object" : type.getSimpleName();
        };
    }

    private static List<Object> path(List<Object> at, JacksonException e) {
        List<Object> path = new ArrayList<>(at);
        for (JacksonException.Reference reference : e.getPath()) {
            if (reference.getPropertyName() != null) {
                path.add(reference.getPropertyName());
            } else if (reference.getIndex() >= 0) {
                path.add(reference.getIndex());
            }
        }
        return path;
    }

    private static ManifestException refused(String location, Document document, List<?> path, String problem) {
        List<Object> steps = List.copyOf(path);
        StringBuilder field = new StringBuilder();
        for (Object step : steps) {
            if (step instanceof Integer) {
                field.append('[').append(step).append(']');
            } else {
                field.append(field.isEmpty() ? "" : ".").append(step);
            }
        }
        return new ManifestException(new Refusal(location, document.line(steps), field.toString(), problem));
    }
}
