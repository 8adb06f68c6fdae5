package dev.wheelhouse.apiserver.webhook;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.json.Meta;
import dev.wheelhouse.apiserver.store.StoredObject;
import dev.wheelhouse.apiserver.validation.MetadataValidation;
import dev.wheelhouse.apiserver.validation.Problems;
import dev.wheelhouse.apiserver.validation.StatusCause;
import dev.wheelhouse.apiserver.work.Allowance;
import dev.wheelhouse.apiserver.work.Deadline;

/**
 * The conversion webhook of a CustomResourceDefinition (upstream:
 * {@code apiextensions-apiserver/pkg/apiserver/conversion/webhook_converter.go}). Unlike upstream, which calls the
 * webhook for each object of a list, it sends many objects in one review. Immutable, thread safe.
 */
public record Conversion(WebhookClient client, ObjectNode config, String reviewVersion, String storageVersion) {
    private static final String GROUP = "apiextensions.k8s.io/";
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    /** A review has at most so many objects, and stops growing at so many bytes. */
    private static final int MOST_OBJECTS = 500;
    private static final int MOST_BYTES = 2 * 1024 * 1024;
    private static final int TREES_PER_BYTE = 4;

    /** The webhook that a definition names; null if its objects are not converted. */
    public static @Nullable Conversion of(ObjectNode crd, WebhookClient client) {
        JsonNode conversion = crd.path("spec").path("conversion");
        if (!Json.text(conversion, "strategy").equals("Webhook")
                || !(Json.at(conversion, "webhook", "clientConfig") instanceof ObjectNode config)) {
            return null;
        }
        String review = Json.texts(conversion.path("webhook").path("conversionReviewVersions")).stream()
                .filter(List.of("v1", "v1beta1")::contains).findFirst().orElse("");
        String storage = crd.path("spec").path("versions").valueStream()
                .filter(version -> version.path("storage").asBoolean(false)).map(version -> Json.text(version, "name"))
                .findFirst().orElse("");
        return new Conversion(client, config, review, Json.text(crd, "spec", "group") + "/" + storage);
    }

    /**
     * The object in the version in which objects are stored; the same object if it has that version.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 500 if the webhook does not convert it
     */
    public ObjectNode toStorage(ObjectNode object) {
        return to(storageVersion, object);
    }

    /**
     * The object in a version; the same object if it has that version.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 500 if the webhook does not convert it
     */
    public ObjectNode to(String apiVersion, ObjectNode object) {
        return Json.text(object, "apiVersion").equals(apiVersion)
                ? object
                : convert(List.of(object), apiVersion).getFirst();
    }

    /**
     * The stored objects in a version, in the same order.
     *
     * @throws dev.wheelhouse.apiserver.error.StatusException 500 if the webhook does not convert all
     */
    public List<StoredObject> stored(List<StoredObject> objects, String apiVersion) {
        List<StoredObject> all = new ArrayList<>(objects);
        List<Integer> places = new ArrayList<>();
        List<ObjectNode> batch = new ArrayList<>();
        long bytes = 0;
        for (int i = 0; i < all.size(); i++) {
            ObjectNode tree = all.get(i).tree();
            if (!Json.text(tree, "apiVersion").equals(apiVersion)) {
                places.add(i);
                batch.add(tree);
                bytes += all.get(i).json().length;
            }
            if (!batch.isEmpty() && (i == all.size() - 1 || bytes >= MOST_BYTES || batch.size() == MOST_OBJECTS)) {
                Allowance.take(TREES_PER_BYTE * bytes);
                List<ObjectNode> converted = convert(batch, apiVersion);
                for (int at = 0; at < places.size(); at++) {
                    all.set(places.get(at), all.get(places.get(at)).inForm(converted.get(at)));
                }
                places.clear();
                batch.clear();
                bytes = 0;
            }
        }
        return all;
    }

    private List<ObjectNode> convert(List<ObjectNode> objects, String apiVersion) {
        Deadline.checkNow();
        String from = Json.text(objects.getFirst(), "apiVersion") + ", Kind=" + Json.text(objects.getFirst(), "kind");
        try {
            return checked(objects, apiVersion, review(objects, apiVersion));
        } catch (WebhookException e) {
            throw Errors.internal("conversion webhook for " + from + " " + e.getMessage());
        }
    }

    private JsonNode review(List<ObjectNode> objects, String apiVersion) throws WebhookException {
        // The random numbers of the server are for what it stores; a seeded run stays the same with webhooks.
        String uid = UUID.randomUUID().toString();
        ObjectNode review = Json.object().put("kind", "ConversionReview").put("apiVersion", GROUP + reviewVersion);
        ObjectNode request = review.putObject("request").put("uid", uid).put("desiredAPIVersion", apiVersion);
        request.putArray("objects").addAll(objects);
        try {
            ObjectNode answer = client.call(config, review, WebhookClient.within(TIMEOUT));
            if (!Json.text(answer, "kind").equals("ConversionReview")
                    || !Json.text(answer, "apiVersion").equals(GROUP + reviewVersion)) {
                throw new WebhookException("expected webhook response of " + GROUP + reviewVersion
                        + ", Kind=ConversionReview, got " + Json.text(answer, "apiVersion") + ", Kind="
                        + Json.text(answer, "kind"));
            }
            if (!(answer.get("response") instanceof ObjectNode response)) {
                throw new WebhookException("no response provided");
            }
            if (reviewVersion.equals("v1") && !Json.text(response, "uid").equals(uid)) {
                throw new WebhookException("expected response.uid=\"" + uid + "\", got \""
                        + Json.text(response, "uid") + "\"");
            }
            String status = Json.text(response, "result", "status");
            if (!status.equals("Success")) {
                String message = Json.text(response, "result", "message");
                throw new WebhookException(
                        message.isEmpty() ? "response.result.status was '" + status + "', not 'Success'" : message);
            }
            return response.path("convertedObjects");
        } catch (WebhookException e) {
            throw new WebhookException("failed: " + e.getMessage());
        }
    }

    private static List<ObjectNode> checked(List<ObjectNode> objects, String apiVersion, JsonNode answered)
            throws WebhookException {
        if (answered.size() != objects.size()) {
            throw new WebhookException("returned " + answered.size() + " objects, expected " + objects.size());
        }
        List<ObjectNode> converted = new ArrayList<>(objects.size());
        for (int i = 0; i < objects.size(); i++) {
            try {
                converted.add(checked(objects.get(i), apiVersion, answered.get(i)));
            } catch (WebhookException e) {
                throw new WebhookException("returned invalid object at index " + i + ": " + e.getMessage());
            }
        }
        return converted;
    }

    private static ObjectNode checked(ObjectNode from, String apiVersion, JsonNode answered) throws WebhookException {
        if (!(answered instanceof ObjectNode to)) {
            throw new WebhookException("it is no JSON object");
        }
        same("invalid groupVersion", apiVersion, Json.text(to, "apiVersion"));
        same("invalid kind", Json.text(from, "kind"), Json.text(to, "kind"));
        if (!(to.get("metadata") instanceof ObjectNode given)) {
            throw new WebhookException("missing metadata in converted object");
        }
        for (String field : List.of("name", "namespace", "uid")) {
            String before = Json.text(from, "metadata", field);
            if (!before.equals(Json.text(given, field))) {
                throw new WebhookException("must have the same " + (field.equals("uid") ? "UID" : field) + ": "
                        + before + " != " + Json.text(given, field));
            }
        }
        ObjectNode metadata = Meta.of(from).deepCopy();
        for (String field : List.of("labels", "annotations")) {
            metadata.remove(field);
            if (Json.at(given, field) != null) {
                metadata.set(field, texts(field, given.path(field)));
            }
        }
        ObjectNode whole = Json.object().put("apiVersion", apiVersion).put("kind", Json.text(from, "kind"));
        whole.set("metadata", metadata);
        Json.copyMissing(to, whole);
        return whole;
    }

    private static JsonNode texts(String field, JsonNode given) throws WebhookException {
        if (!given.isObject()) {
            throw new WebhookException("invalid metadata." + field + " in converted object: it is no JSON object");
        }
        for (Map.Entry<String, JsonNode> text : given.properties()) {
            if (!text.getValue().isString()) {
                throw new WebhookException(
                        "metadata." + field + "[" + text.getKey() + "] must be a string in converted object");
            }
        }
        Problems problems = new Problems();
        if (field.equals("labels")) {
            MetadataValidation.labels(given, "metadata.labels", problems);
        } else {
            MetadataValidation.annotations(given, "metadata.annotations", problems);
        }
        if (!problems.isEmpty()) {
            StatusCause first = problems.causes().getFirst();
            throw new WebhookException(first.field() + ": " + first.message());
        }
        return given;
    }

    private static void same(String what, String expected, String received) throws WebhookException {
        if (!expected.equals(received)) {
            throw new WebhookException(what + " (expected " + expected + ", received " + received + ")");
        }
    }
}
