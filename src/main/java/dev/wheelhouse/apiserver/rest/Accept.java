package dev.wheelhouse.apiserver.rest;

import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import dev.wheelhouse.api.ResourceType;

/**
 * How the answer is to look.
 *
 * @param form the object itself, a Table, or its metadata alone
 * @param media in which language
 * @param metaVersion of {@code meta.k8s.io}, for a Table or metadata alone: {@code v1}, or {@code v1beta1}, which looks the same
 */
record Accept(Form form, Media media, boolean pretty, String metaVersion) {
    enum Form {
        OBJECT, TABLE, PARTIAL
    }

    enum Media {
        JSON("application/json"), YAML("application/yaml"), PROTOBUF(ProtobufBodies.MEDIA_TYPE);

        private final String type;

        Media(String type) {
            this.type = type;
        }

        String type() {
            return type;
        }
    }

    static final Accept JSON = object(Media.JSON, false);

    private static Accept object(Media media, boolean pretty) {
        return new Accept(Form.OBJECT, media, pretty, "v1");
    }

    /** The {@code apiVersion} of a Table or of metadata. */
    String metaApiVersion() {
        return "meta.k8s.io/" + metaVersion;
    }

    /** Whether stored bytes can be the answer as they are. */
    boolean isPlain() {
        return form == Form.OBJECT && media == Media.JSON && !pretty;
    }

    /** The same for an object that is shown as it is. */
    Accept ofObject() {
        return object(media, pretty);
    }

    /** What a request accepts of objects of its target. @throws ApiException 406 if that cannot be served */
    static Accept parse(ApiRequest request, Target target) {
        ResourceType type = target.type();
        return parse(request, ProtobufTypes.covers(type.apiVersion(), type.kind()), !Reviews.isReview(target));
    }

    /** What a request accepts of something that has no Table and no protobuf message, or of an error; JSON where nothing fits. */
    static Accept lenient(ApiRequest request, boolean protobuf) {
        try {
            return parse(request, protobuf, true).ofObject();
        } catch (ApiException e) {
            return JSON;
        }
    }

    /**
     * The first clause of an Accept header that can be served.
     *
     * @param protobuf whether the objects have protobuf messages
     * @param metadata whether they have metadata to show, and Tables
     * @throws ApiException 406 if none can
     */
    private static Accept parse(ApiRequest request, boolean protobuf, boolean metadata) {
        boolean pretty = request.isPretty();
        if (request.accept().isBlank()) {
            return object(Media.JSON, pretty);
        }
        for (String clause : request.accept().split(",")) {
            String[] parts = clause.split(";");
            Media media = switch (parts[0].strip().toLowerCase(Locale.ROOT)) {
                case "application/json", "*/*", "application/*" -> Media.JSON;
                case "application/yaml" -> Media.YAML;
                case ProtobufBodies.MEDIA_TYPE -> protobuf ? Media.PROTOBUF : null;
                default -> null;
            };
            if (media == null) {
                continue;
            }
            Map<String, String> parameters = parameters(parts);
            String as = parameters.getOrDefault("as", "");
            String version = parameters.getOrDefault("v", "v1");
            boolean meta = metadata && parameters.getOrDefault("g", "meta.k8s.io").equals("meta.k8s.io")
                    && (version.equals("v1") || version.equals("v1beta1"));
            if (as.isEmpty()) {
                return object(media, pretty);
            } else if (as.equals("Table") && meta && media != Media.PROTOBUF) {
                return new Accept(Form.TABLE, media, pretty, version);
            } else if ((as.equals("PartialObjectMetadata") || as.equals("PartialObjectMetadataList")) && meta) {
                return new Accept(Form.PARTIAL, media, pretty, version);
            }
        }
        throw Errors.notAcceptable(protobuf);
    }

    private static Map<String, String> parameters(String[] parts) {
        Map<String, String> parameters = new HashMap<>();
        for (int i = 1; i < parts.length; i++) {
            int eq = parts[i].indexOf('=');
            if (eq > 0) {
                parameters.put(parts[i].substring(0, eq).strip(), parts[i].substring(eq + 1).strip());
            }
        }
        return parameters;
    }
}
