package dev.wheelhouse.apiserver.protocol;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.audit.AuditEvent;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.json.Json;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * The options of a deletion (upstream: {@code metav1.DeleteOptions}).
 *
 * @param grace the grace period in seconds; null if the request does not say
 * @param uid the UID that the object must have, or null
 * @param version the resourceVersion that the object must have, or null
 * @param policy the propagation policy; empty if the request names none
 * @param orphan the deprecated {@code orphanDependents}, or null
 */
public record DeleteOptions(@Nullable Long grace, @Nullable String uid, @Nullable String version, String policy,
        @Nullable Boolean orphan, boolean dryRun) {
    private static final Set<String> POLICIES = Set.of("Foreground", "Background", "Orphan");

    /** Options that leave everything to the defaults. */
    public static DeleteOptions none() {
        return new DeleteOptions(null, null, null, "", null, false);
    }

    /**
     * Reads the options from the body, or from the query if there is no body.
     *
     * @throws ApiException 400 if they cannot be decoded, 415 for an unknown media type, 422 if a value is invalid
     */
    public static DeleteOptions of(ApiRequest request) {
        if (request.body().length > 0) {
            ObjectNode sent = Bodies.options(request);
            AuditEvent.requests(sent, copy -> (ObjectNode) Json.object().put("kind", "DeleteOptions")
                    .put("apiVersion", "meta.k8s.io/__internal")
                    .setAll((ObjectNode) copy.remove(List.of("kind", "apiVersion"))));
            return of(sent);
        }
        QueryParameters query = request.query();
        Long grace = query.number("gracePeriodSeconds");
        return new DeleteOptions(grace, null, null, query.get("propagationPolicy"),
                query.has("orphanDependents") ? Boolean.valueOf(query.flag("orphanDependents")) : null,
                !query.all("dryRun").isEmpty())
                .checked(query.has("propagationPolicy"), query.all("dryRun"));
    }

    /**
     * Checks a decoded {@code DeleteOptions}.
     *
     * @throws ApiException 422 if a value is invalid
     */
    public static DeleteOptions of(ObjectNode body) {
        JsonNode grace = body.get("gracePeriodSeconds");
        JsonNode orphan = body.get("orphanDependents");
        List<String> dryRun = Json.texts(body.path("dryRun"));
        return new DeleteOptions(grace == null ? null : Long.valueOf(grace.longValue()),
                text(body, "uid"), text(body, "resourceVersion"), Json.text(body, "propagationPolicy"),
                orphan == null ? null : Boolean.valueOf(orphan.booleanValue()), !dryRun.isEmpty())
                .checked(body.has("propagationPolicy"), dryRun);
    }

    private static @Nullable String text(ObjectNode body, String precondition) {
        JsonNode value = Json.at(body, "preconditions", precondition);
        return value == null ? null : value.asString();
    }

    /** The options as webhooks are shown them. */
    public ObjectNode toJson() {
        ObjectNode options = Json.object();
        if (grace != null) {
            options.put("gracePeriodSeconds", grace);
        }
        if (!policy.isEmpty()) {
            options.put("propagationPolicy", policy);
        }
        if (uid != null || version != null) {
            ObjectNode preconditions = options.putObject("preconditions");
            if (uid != null) {
                preconditions.put("uid", uid);
            }
            if (version != null) {
                preconditions.put("resourceVersion", version);
            }
        }
        Json.putTexts(options, "dryRun", dryRun ? List.of("All") : List.of());
        return options;
    }

    private DeleteOptions checked(boolean hasPolicy, List<String> dryRuns) {
        Problems problems = new Problems();
        if (hasPolicy && orphan != null) {
            problems.invalid("propagationPolicy", policy,
                    "orphanDependents and deletionPropagation cannot be both set");
        }
        if (hasPolicy && !POLICIES.contains(policy)) {
            problems.notSupported("propagationPolicy", policy, "Foreground", "Background", "Orphan", "nil");
        }
        WriteOptions.dryRun(dryRuns, problems);
        Errors.refuse(problems, "meta.k8s.io", "DeleteOptions", "");
        return this;
    }
}
