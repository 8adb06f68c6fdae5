package dev.wheelhouse.apiserver.rest;

import java.util.List;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.apiserver.protocol.ApiRequest;
import dev.wheelhouse.apiserver.protocol.ApiResponse;
import dev.wheelhouse.apiserver.store.ObjectStore;

/**
 * {@code /healthz}, {@code /livez} and {@code /readyz}, with {@code ?verbose}, {@code ?exclude=} and a path for each
 * check (upstream: {@code apiserver/pkg/server/healthz}). Most checks pass whenever the server answers at all, because
 * it serves nothing before its storage is open and its roles exist. While the storage refuses writes, the check
 * {@code etcd} fails, except for {@code /livez}.
 */
record Health(ObjectStore store) {
    private static final String STORAGE = "etcd";
    private static final List<String> LIVE = List.of("ping", "log", STORAGE, "poststarthook/rbac/bootstrap-roles",
            "poststarthook/scheduling/bootstrap-system-priority-classes");
    private static final List<String> READY_ALONE = List.of("informer-sync", "shutdown");

    /** @param path decoded parts; the first is {@code healthz}, {@code livez} or {@code readyz} */
    ApiResponse answer(List<String> path, ApiRequest request) {
        String endpoint = path.getFirst();
        String check = String.join("/", path.subList(1, path.size()));
        if (!check.isEmpty()) {
            if (!isCheck(endpoint, check)) {
                return NonResources.notFound();
            }
            String problem = check.equals(STORAGE) ? storageProblem(endpoint) : null;
            return problem == null
                    ? ApiResponse.text(200, "ok")
                    : ApiResponse.text(500, "internal server error: " + problem + "\n");
        }
        List<String> excluded = request.query().all("exclude");
        String problem = excluded.contains(STORAGE) ? null : storageProblem(endpoint);
        if (problem == null && !request.query().has("verbose")) {
            return ApiResponse.text(200, "ok");
        }
        StringBuilder text = new StringBuilder();
        LIVE.forEach(name -> line(text, name, excluded, name.equals(STORAGE) ? problem : null));
        if (endpoint.equals("readyz")) {
            READY_ALONE.forEach(name -> line(text, name, excluded, null));
        }
        text.append(endpoint).append(problem == null ? " check passed\n" : " check failed\n");
        return ApiResponse.text(problem == null ? 200 : 500, text.toString());
    }

    /** Why the storage refuses writes, or null. For livez it is null: a restart would not help against a full disk. */
    private @Nullable String storageProblem(String endpoint) {
        String problem = endpoint.equals("livez") ? null : store.problem();
        return problem == null ? null : "writes are refused: " + problem;
    }

    private static boolean isCheck(String endpoint, String check) {
        return LIVE.contains(check) || endpoint.equals("readyz") && READY_ALONE.contains(check);
    }

    private static void line(StringBuilder text, String check, List<String> excluded, @Nullable String problem) {
        if (problem != null) {
            text.append("[-]").append(check).append(" failed: ").append(problem).append('\n');
            return;
        }
        text.append("[+]").append(check).append(excluded.contains(check) ? " excluded: ok\n" : " ok\n");
    }
}
