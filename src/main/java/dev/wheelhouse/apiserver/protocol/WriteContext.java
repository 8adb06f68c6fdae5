package dev.wheelhouse.apiserver.protocol;

import java.util.List;

import dev.wheelhouse.apiserver.auth.User;

/** How a change came about: who made it, where, and whether its field ownership is already noted. */
public record WriteContext(String manager, String subresource, boolean applied, boolean dryRun, User user, boolean posted,
        List<String> warnings) {
    /** @param warnings gets what admission policies warn about */
    public static WriteContext of(ApiRequest request, Target target, boolean applied, List<String> warnings) {
        return new WriteContext(request.fieldManager(), target.subresource(), applied, request.isDryRun(), request.user(),
                request.method().equals("POST"), warnings);
    }
}
