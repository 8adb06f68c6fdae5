package dev.wheelhouse.apiserver.protocol;

import java.util.List;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.apiserver.auth.User;
import dev.wheelhouse.apiserver.json.Json;

/**
 * The request behind a write, as far as storing the object depends on it.
 *
 * @param manager the field manager
 * @param subresource the subresource that is written; empty for the object itself
 * @param applied whether the write is an apply, so that the object has its field ownership already
 * @param posted whether the request is a POST; else a creation is the effect of a PUT or PATCH
 * @param options the options of the request that webhooks are shown
 * @param warnings receives warnings of strategies and admission policies
 */
public record WriteContext(String manager, String subresource, boolean applied, boolean dryRun, User user,
        boolean posted, ObjectNode options, List<String> warnings) {
    public static WriteContext of(ApiRequest request, Target target, boolean applied) {
        return new WriteContext(request.fieldManager(), target.subresource(), applied, request.isDryRun(),
                request.user(), request.method().equals("POST"), options(request.query()), request.warnings());
    }

    private static ObjectNode options(QueryParameters query) {
        ObjectNode options = Json.object();
        for (String option : List.of("fieldManager", "fieldValidation")) {
            if (!query.get(option).isEmpty()) {
                options.put(option, query.get(option));
            }
        }
        Json.putTexts(options, "dryRun", query.all("dryRun"));
        return options;
    }
}
