package dev.wheelhouse.apiserver.rest;

import java.util.List;

/**
 * {@code /healthz}, {@code /livez} and {@code /readyz}, with {@code ?verbose}, {@code ?exclude=} and a path for each check
 * (upstream: {@code apiserver/pkg/server/healthz}). A server that answers at all passes them: it serves nothing before its
 * storage is open and its roles are there.
 */
final class Health {
    private static final List<String> LIVE = List.of("ping", "log", "etcd", "poststarthook/rbac/bootstrap-roles",
            "poststarthook/scheduling/bootstrap-system-priority-classes");
    private static final List<String> READY_ALONE = List.of("informer-sync", "shutdown");

    private Health() {}

    /** @param path of which the first part is one of the three */
    static ApiResponse answer(List<String> path, ApiRequest request) {
        String endpoint = path.getFirst();
        String check = String.join("/", path.subList(1, path.size()));
        if (!check.isEmpty()) {
            return isCheck(endpoint, check) ? PodSubresources.text(200, "ok") : NonResources.notFound();
        }
        if (!request.query().has("verbose")) {
            return PodSubresources.text(200, "ok");
        }
        List<String> excluded = request.query().all("exclude");
        StringBuilder text = new StringBuilder();
        LIVE.forEach(name -> line(text, name, excluded));
        if (endpoint.equals("readyz")) {
            READY_ALONE.forEach(name -> line(text, name, excluded));
        }
        return PodSubresources.text(200, text.append(endpoint).append(" check passed\n").toString());
    }

    private static boolean isCheck(String endpoint, String check) {
        return LIVE.contains(check) || endpoint.equals("readyz") && READY_ALONE.contains(check);
    }

    private static void line(StringBuilder text, String check, List<String> excluded) {
        text.append("[+]").append(check).append(excluded.contains(check) ? " excluded: ok\n" : " ok\n");
    }
}
