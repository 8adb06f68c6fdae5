package dev.wheelhouse.apiserver;

import java.util.ArrayList;
import java.util.List;

import dev.wheelhouse.apiserver.rest.ApiRequest;

/**
 * What a request is about, read off its method and path (upstream: {@code apiserver/pkg/endpoints/request/requestinfo.go}).
 *
 * @param group empty for the core group
 * @param resource with its subresource, {@code pods/status}; empty if the path names none
 */
record RequestVerb(String verb, String group, String resource) {

    static RequestVerb of(ApiRequest request) {
        List<String> path = new ArrayList<>(List.of(request.path().split("/")));
        path.removeIf(String::isEmpty);
        boolean core = path.size() > 2 && path.getFirst().equals("api");
        if (!core && (path.size() < 4 || !path.getFirst().equals("apis"))) {
            return new RequestVerb(verb(request, true), "", "");
        }
        String group = core ? "" : path.get(1);
        List<String> rest = path.subList(core ? 2 : 3, path.size());
        if (rest.size() > 2 && rest.getFirst().equals("namespaces")
                && !rest.get(2).equals("status") && !rest.get(2).equals("finalize")) {
            rest = rest.subList(2, rest.size());
        }
        String resource = rest.getFirst() + (rest.size() > 2 ? "/" + rest.get(2) : "");
        return new RequestVerb(verb(request, rest.size() > 1), group, resource);
    }

    private static String verb(ApiRequest request, boolean named) {
        return switch (request.method()) {
            case "POST" -> "create";
            case "PUT" -> "update";
            case "PATCH" -> "patch";
            case "DELETE" -> named ? "delete" : "deletecollection";
            default -> named ? "get" : request.query().flag("watch") ? "watch" : "list";
        };
    }

    /** @param wanted {@code deployments}, {@code deployments.apps}, {@code deployments.apps/scale} or {@code deployments/scale} */
    boolean isOf(String wanted) {
        int slash = resource.indexOf('/');
        String plural = slash < 0 ? resource : resource.substring(0, slash);
        String sub = slash < 0 ? "" : resource.substring(slash);
        return wanted.equals(resource) || wanted.equals(plural + "." + group + sub);
    }
}
