package dev.wheelhouse.apiserver.protocol;

import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;
import dev.wheelhouse.apiserver.store.SelectableFields;
import dev.wheelhouse.apiserver.store.Selection;
import dev.wheelhouse.apiserver.validation.Problems;

/**
 * The options of a list, a watch or the deletion of a collection (upstream:
 * {@code apimachinery/pkg/apis/meta/internalversion/validation}, {@code apiserver/pkg/endpoints/handlers/get.go}).
 *
 * @param limit 0 for none
 * @param match the resourceVersionMatch, or empty
 * @param version the resourceVersion as sent; it may be invalid
 * @param token the continue token, or empty
 * @param initialEvents whether a watch begins with the present objects; null if the request does not say
 * @param timeoutSeconds null if the request does not say
 */
public record ListParameters(Selection selection, int limit, String match, String version, String token,
        @Nullable Boolean initialEvents, boolean bookmarks, @Nullable Long timeoutSeconds) {
    private static final String MATCH = "resourceVersionMatch";
    private static final long MOST = 1_000_000;

    /**
     * Reads and checks the options, in upstream's order.
     *
     * @throws ApiException 400 if a parameter cannot be parsed, 422 if parameters contradict each other, 500 if the
     *     shard selector cannot be parsed
     */
    public static ListParameters of(Target target, ApiRequest request) {
        QueryParameters query = request.query();
        Long timeout = query.number("timeoutSeconds");
        Long limit = query.number("limit");
        RequestSelectors selectors = request.route().selectors().orRefuse();
        ListParameters options = new ListParameters(
                new Selection(target.namespace(), selectors.labels(), selectors.fields()),
                limit == null ? 0 : (int) Math.clamp(limit, 0L, MOST), query.get(MATCH),
                query.get("resourceVersion"), query.get("continue"),
                query.has("sendInitialEvents") ? Boolean.valueOf(query.flag("sendInitialEvents")) : null,
                query.flag("allowWatchBookmarks"), timeout);
        Problems problems = new Problems();
        if (query.flag("watch")) {
            options.withDefaults().checkWatch(problems);
        } else {
            options.checkList(problems);
        }
        Errors.refuse(problems, "meta.k8s.io", "ListOptions", "");
        String shard = query.get("shardSelector");
        ListParameters named = options.named(target);
        return shard.isEmpty() ? named : named.of(shard);
    }

    /** Like upstream with the feature gate ShardedListAndWatch, which answers 500 to a selector that is wrong. */
    private ListParameters of(String shard) {
        try {
            Selection part = new Selection(selection.namespace(), selection.labels(), selection.fields(),
                    ShardSelectors.parse(shard));
            return new ListParameters(part, limit, match, version, token, initialEvents, bookmarks, timeoutSeconds);
        } catch (IllegalArgumentException e) {
            throw Errors.internal("invalid shard selector: " + e.getMessage());
        }
    }

    /** A watch without a version is checked like one with {@code sendInitialEvents}, which means the same. */
    private ListParameters withDefaults() {
        boolean all = initialEvents == null && match.isEmpty() && (version.isEmpty() || version.equals("0"));
        return all
                ? new ListParameters(selection, limit, "NotOlderThan", version, token, true, bookmarks, timeoutSeconds)
                : this;
    }

    private void checkList(Problems problems) {
        if (!match.isEmpty()) {
            if (version.isEmpty()) {
                problems.forbidden(MATCH, "resourceVersionMatch is forbidden unless resourceVersion is provided");
            }
            if (!token.isEmpty()) {
                problems.forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided");
            }
            if (!match.equals("Exact") && !match.equals("NotOlderThan")) {
                problems.notSupported(MATCH, match, "Exact", "NotOlderThan", "");
            }
            if (match.equals("Exact") && version.equals("0")) {
                problems.forbidden(MATCH, "resourceVersionMatch \"exact\" is forbidden for resourceVersion \"0\"");
            }
        }
        if (initialEvents != null) {
            problems.forbidden("sendInitialEvents", "sendInitialEvents is forbidden for list");
        }
    }

    private void checkWatch(Problems problems) {
        if (initialEvents != null && !match.equals("NotOlderThan")) {
            problems.forbidden(MATCH, "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
        }
        if (!match.isEmpty()) {
            if (initialEvents == null) {
                problems.forbidden(MATCH,
                        "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided");
            }
            if (!match.equals("NotOlderThan")) {
                problems.notSupported(MATCH, match, "NotOlderThan");
            }
            if (!token.isEmpty()) {
                problems.forbidden(MATCH, "resourceVersionMatch is forbidden when continue is provided");
            }
        }
    }

    /** Translates field names to those that the store knows, and adds the name in the path as a field selector. */
    private ListParameters named(Target target) {
        List<FieldSelector.Requirement> known = selection.fields().requirements().stream()
                .map(requirement -> new FieldSelector.Requirement(known(target, requirement.field()),
                        requirement.value(), requirement.negated()))
                .toList();
        FieldSelector fields = known.isEmpty() ? FieldSelector.everything() : new FieldSelector(known);
        if (!target.name().isEmpty()) {
            if (!fields.isEverything() && !target.name().equals(fields.requires("metadata.name"))) {
                throw Errors.badRequest("fieldSelector metadata.name doesn't match requested name");
            }
            fields = fields.isEverything() ? FieldSelector.of("metadata.name", target.name()) : fields;
        }
        return new ListParameters(new Selection(selection.namespace(), selection.labels(), fields), limit, match,
                version, token, initialEvents, bookmarks, timeoutSeconds);
    }

    /** @throws ApiException 400 if objects of the type cannot be selected by the field */
    private static String known(Target target, String field) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        if (custom != null) {
            if (field.equals("metadata.name") || field.equals("metadata.namespace") && target.type().namespaced()
                    || custom.selectable().contains(field)) {
                return field;
            }
            throw Errors.badRequest("field label not supported: " + field);
        }
        String known = SelectableFields.canonical(target.type(), field);
        if (known == null) {
            throw Errors.badRequest(SelectableFields.refusal(target.type(), field));
        }
        return known;
    }
}
