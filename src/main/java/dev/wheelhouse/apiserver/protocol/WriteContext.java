package dev.wheelhouse.apiserver.protocol;

import java.util.List;

import dev.wheelhouse.apiserver.auth.User;

/**
 * The request behind a write, as far as storing the object depends on it.
 *
 * @param manager the field manager
 * @param subresource the subresource that is written; empty for the object itself
 * @param applied whether the write is an apply, so that the object has its field ownership already
 * @param posted whether the request is a POST; else a creation is the effect of a PUT or PATCH
 * @param warnings receives warnings of strategies and admission policies
 */
public record WriteContext(String manager, String subresource, boolean applied, boolean dryRun, User user,
        boolean posted, List<String> warnings) {
    /** @param warnings receives the warnings of the write */
    public static WriteContext of(ApiRequest request, Target target, boolean applied, List<String> warnings) {
        return new WriteContext(request.fieldManager(), target.subresource(), applied, request.isDryRun(),
                request.user(), request.method().equals("POST"), warnings);
    }
}
