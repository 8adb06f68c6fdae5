package dev.wheelhouse.apiserver.protocol;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.apiserver.error.Errors;
import dev.wheelhouse.apiserver.error.StatusException;
import dev.wheelhouse.apiserver.validation.Selectors;

/**
 * The selectors of a request for a collection. They are parsed once, so that authorization and selection agree.
 *
 * @param problem why the selectors cannot be parsed, else null; such a request selects nothing, and is refused after it
 *        is authorized
 */
record RequestSelectors(LabelSelector labels, FieldSelector fields, @Nullable StatusException problem) {
    private static final RequestSelectors ALL = new RequestSelectors(LabelSelector.everything(),
            FieldSelector.everything(), null);

    /** The selectors of a request that has none. */
    static RequestSelectors all() {
        return ALL;
    }

    static RequestSelectors of(QueryParameters query) {
        String labelText = query.get("labelSelector");
        String fieldText = query.get("fieldSelector");
        if (labelText.isEmpty() && fieldText.isEmpty()) {
            return ALL;
        }
        try {
            LabelSelector labels = LabelSelector.parse(labelText);
            String problem = Selectors.problem(labels);
            return problem.isEmpty()
                    ? new RequestSelectors(labels, FieldSelector.parse(fieldText), null)
                    : unreadable("unable to parse requirement: " + problem);
        } catch (IllegalArgumentException e) {
            return unreadable(String.valueOf(e.getMessage()));
        }
    }

    private static RequestSelectors unreadable(String problem) {
        return new RequestSelectors(LabelSelector.nothing(), FieldSelector.everything(), Errors.badRequest(problem));
    }

    /** @throws StatusException 400 if the selectors cannot be parsed */
    RequestSelectors orRefuse() {
        if (problem != null) {
            throw problem;
        }
        return this;
    }
}
