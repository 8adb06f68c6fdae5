package dev.wheelhouse.apiserver.protocol;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import dev.wheelhouse.apiserver.resources.CustomResourceInfo;
import dev.wheelhouse.apiserver.resources.CustomType;

/** Warns, in the answer, of requests for what is deprecated (upstream: {@code apiserver/pkg/endpoints/deprecation}). */
public final class Deprecations {
    private static final Map<String, String> BUILT_IN = Map.of("v1 Endpoints",
            "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice", "v1 ComponentStatus",
            "v1 ComponentStatus is deprecated in v1.19+");

    private Deprecations() {}

    public static ApiResponse warn(Target target, ApiResponse answer) {
        CustomType custom = CustomResourceInfo.typeOf(target.info());
        String warning = custom != null
                ? custom.deprecation()
                : BUILT_IN.getOrDefault(target.type().apiVersion() + " " + target.type().kind(), "");
        if (warning.isEmpty() || !(answer instanceof ApiResponse.Content content)) {
            return answer;
        }
        List<String> warnings = new ArrayList<>(content.warnings());
        warnings.addFirst(warning);
        return content.withWarnings(warnings);
    }
}
