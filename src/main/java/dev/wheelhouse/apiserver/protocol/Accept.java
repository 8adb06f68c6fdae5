package dev.wheelhouse.apiserver.protocol;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.codec.ProtobufBodies;
import dev.wheelhouse.apiserver.codec.ProtobufTypes;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.facts.Schemas;

/**
 * The form of an answer, negotiated from the Accept header (upstream:
 * {@code apiserver/pkg/endpoints/handlers/negotiation}).
 *
 * @param form the object itself, a Table, or only the metadata, of one object or of a list
 * @param media the encoding
 * @param pretty whether JSON is indented
 * @param metaVersion the version of {@code meta.k8s.io} for a Table or metadata: {@code v1}, or {@code v1beta1}, which
 *        looks the same
 */
public record Accept(Form form, Media media, boolean pretty, String metaVersion) {
    public enum Form {
        OBJECT, TABLE, PARTIAL, PARTIAL_LIST
    }

    public enum Media {
        JSON("application/json"), YAML("application/yaml"), PROTOBUF(ProtobufBodies.MEDIA_TYPE);

        private final String type;

        Media(String type) {
            this.type = type;
        }

        String type() {
            return type;
        }
    }

    private static final List<Media> MEDIA = List.of(Media.values());

    private static final Map<String, String> AGGREGATED = Map.of("as", "APIGroupDiscoveryList", "v", "v2", "g",
            "apidiscovery.k8s.io");
    /** The forms of errors and documents, of reviews, and of all other objects. */
    private static final Set<Form> NONE = Set.of(Form.OBJECT);
    private static final Set<Form> PARTIAL = Set.of(Form.OBJECT, Form.PARTIAL, Form.PARTIAL_LIST);
    private static final Set<Form> ALL = Set.of(Form.values());

    private static Accept object(Media media, boolean pretty) {
        return new Accept(Form.OBJECT, media, pretty, "v1");
    }

    /** The {@code apiVersion} of a Table or of metadata. */
    String metaApiVersion() {
        return "meta.k8s.io/" + metaVersion;
    }

    /** Whether stored bytes can be sent without a change. */
    public boolean isPlain() {
        return form == Form.OBJECT && media == Media.JSON && !pretty;
    }

    /** The same encoding with the object itself as the form. */
    public Accept ofObject() {
        return object(media, pretty);
    }

    /**
     * Negotiates the form for objects of the target.
     *
     * @throws StatusException 406 if nothing in the header can be served
     */
    public static Accept parse(ApiRequest request, Target target) {
        ResourceType type = target.type();
        boolean custom = !Schemas.isBuiltIn(type);
        if (!custom && !request.accept().isEmpty() && !Header.of(request.accept()).named()) {
            throw Errors.unroutableAccept(request.method().equals("GET") && target.name().isEmpty());
        }
        return negotiate(request, ProtobufTypes.covers(type.apiVersion(), type.kind()),
                target.isReview() ? PARTIAL : ALL);
    }

    /**
     * Negotiates the encoding of an error or of a document that has no other form. Falls back to indented JSON.
     *
     * @param protobuf whether a protobuf message exists for it
     */
    public static Accept lenient(ApiRequest request, boolean protobuf) {
        try {
            return negotiate(request, protobuf, NONE);
        } catch (StatusException e) {
            return object(Media.JSON, true);
        }
    }

    /**
     * Negotiates the encoding of a document of discovery.
     *
     * @throws StatusException 406 if nothing in the header can be served
     */
    public static Accept discovery(ApiRequest request) {
        return negotiate(request, true, NONE);
    }

    /** The encoding in which a header asks for aggregated discovery, whatever else it asks for; null if it does not. */
    public static @Nullable Accept aggregated(ApiRequest request) {
        return Header.of(request.accept()).clauses().stream().filter(clause -> clause.parameters
                .entrySet().containsAll(AGGREGATED.entrySet()))
                .flatMap(clause -> Stream.of(Media.JSON, Media.YAML).filter(media -> clause.fits(media.type)))
                .findFirst().map(media -> object(media, request.isPretty())).orElse(null);
    }

    /** The first of some media types that a header asks for, the best first; null if it asks for none. */
    public static @Nullable String first(ApiRequest request, String... types) {
        return Header.of(request.accept().isEmpty() ? "*/*" : request.accept()).clauses().stream()
                .flatMap(clause -> Stream.of(types).filter(clause::fits)).findFirst().orElse(null);
    }

    /**
     * Checks the Accept header of a request for a path that names no resource.
     *
     * @param jsonOnly whether the path is answered in JSON only
     * @throws StatusException 406
     */
    public static void checkNamed(ApiRequest request, boolean jsonOnly) {
        String header = request.accept();
        if (header.isEmpty() || named(header)
                && (!jsonOnly || header.contains("*/*") || header.contains(Media.JSON.type))) {
            return;
        }
        throw jsonOnly
                ? Errors.notAcceptable("406: Not Acceptable\n\nAvailable representations: application/json")
                : Errors.unroutableAccept(false);
    }

    /** Whether the header names one of the media types in full, or all; upstream's router, go-restful, requires it. */
    private static boolean named(String header) {
        for (String clause : header.split(",", -1)) {
            int semicolon = clause.indexOf(';');
            String type = (semicolon < 0 ? clause : clause.substring(0, semicolon)).strip();
            if (type.equals("*/*") || MEDIA.stream().anyMatch(media -> media.type.equals(type))) {
                return true;
            }
        }
        return false;
    }

    /**
     * The best clause of an Accept header that can be served (upstream: {@code handlers/negotiation/negotiate.go}).
     *
     * @param protobuf whether the objects have protobuf messages; their metadata always has
     * @param forms that the objects have
     * @throws StatusException 406 if no clause can be served
     */
    private static Accept negotiate(ApiRequest request, boolean protobuf, Set<Form> forms) {
        boolean pretty = request.isPretty();
        if (request.accept().isEmpty()) {
            return object(Media.JSON, pretty);
        }
        for (Clause clause : Header.of(request.accept()).clauses()) {
            for (Media media : MEDIA) {
                Form form = clause.fits(media.type) ? form(clause.parameters, media, protobuf) : null;
                if (form != null && forms.contains(form)) {
                    return new Accept(form, media, pretty || clause.parameter("pretty").equals("1"),
                            form == Form.OBJECT ? "v1" : clause.parameter("v"));
                }
            }
        }
        throw Errors.notAcceptable();
    }

    /** The form that a clause asks for; null if the media type cannot have it. */
    private static @Nullable Form form(Map<String, String> parameters, Media media, boolean protobuf) {
        String stream = parameters.getOrDefault("stream", "");
        String server = parameters.getOrDefault("sv", "");
        if (!stream.isEmpty() && (!stream.equals("watch") || media == Media.YAML)
                || !server.isEmpty() && !server.equals("v1")) {
            return null;
        }
        String as = parameters.get("as");
        if (as == null && !parameters.containsKey("g") && !parameters.containsKey("v")) {
            return media == Media.PROTOBUF && !protobuf ? null : Form.OBJECT;
        }
        String version = parameters.getOrDefault("v", "");
        if (as == null || !parameters.getOrDefault("g", "").equals("meta.k8s.io")
                || !version.equals("v1") && !version.equals("v1beta1")) {
            return null;
        }
        return switch (as) {
            case "Table" -> media != Media.PROTOBUF ? Form.TABLE : null;
            case "PartialObjectMetadata" -> Form.PARTIAL;
            case "PartialObjectMetadataList" -> Form.PARTIAL_LIST;
            default -> null;
        };
    }

    private record Clause(String type, String subtype, double quality, Map<String, String> parameters) {
        /** Exact types go before wildcards of the same quality. */
        private static final Comparator<Clause> BEST_FIRST = Comparator.comparingDouble(Clause::quality).reversed()
                .thenComparing(clause -> clause.type.equals("*"))
                .thenComparing(clause -> clause.subtype.equals("*"));

        boolean fits(String media) {
            return media.equals(type + "/" + subtype)
                    || subtype.equals("*") && (type.equals("*") || media.startsWith(type + "/"));
        }

        String parameter(String name) {
            return parameters.getOrDefault(name, "");
        }
    }

    /**
     * A header that was read. The first ones are remembered, because clients send few different ones.
     *
     * @param named whether it names one of the media types in full, or all
     * @param clauses best first
     */
    private record Header(boolean named, List<Clause> clauses) {
        private static final int MOST_KNOWN = 64;
        private static final int LONGEST_KNOWN = 256;
        private static final Map<String, Header> KNOWN = new ConcurrentHashMap<>();

        static Header of(String text) {
            Header known = KNOWN.get(text);
            if (known == null) {
                known = new Header(Accept.named(text), List.copyOf(Accept.clauses(text)));
                if (KNOWN.size() < MOST_KNOWN && text.length() <= LONGEST_KNOWN) {
                    KNOWN.put(text, known);
                }
            }
            return known;
        }
    }

    /** The clauses of a header, best first. Malformed clauses are left out. */
    private static List<Clause> clauses(String header) {
        List<Clause> clauses = new ArrayList<>();
        for (String text : header.split(",")) {
            String[] parts = text.strip().split(";", -1);
            String[] types = parts[0].split("/", -1);
            String type = types[0].strip();
            if (types.length > 2 || types.length == 1 && !type.equals("*") || types.length == 2 && types[1].isEmpty()) {
                continue;
            }
            double quality = 1;
            Map<String, String> parameters = new HashMap<>();
            for (int i = 1; i < parts.length; i++) {
                String[] pair = parts[i].split("=", -1);
                if (pair.length != 2 || pair[1].isEmpty()) {
                    continue;
                }
                if (pair[0].strip().equals("q")) {
                    quality = quality(pair[1]);
                } else {
                    parameters.put(pair[0].strip(), pair[1].strip());
                }
            }
            clauses.add(new Clause(type, types.length == 1 ? "*" : types[1].strip(), quality, parameters));
        }
        clauses.sort(Clause.BEST_FIRST);
        return clauses;
    }

    private static double quality(String text) {
        try {
            return Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            return 0;
        }
    }
}
