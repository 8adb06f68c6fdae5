package dev.wheelhouse.apiserver.admission;

import java.util.List;
import java.util.Set;

import org.jspecify.annotations.Nullable;

import tools.jackson.databind.node.ObjectNode;

import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.apiserver.json.Json;

/**
 * Adds tolerations to a pod that let it stay for five minutes on a node that is not ready or unreachable, unless it has
 * tolerations for that (upstream: {@code plugin/pkg/admission/defaulttolerationseconds}).
 */
final class DefaultTolerations implements AdmissionPlugin {
    private static final List<String> TOLERATED = List.of(NotReadyTaint.KEY,
            "node.kubernetes.io/unreachable");
    private static final int SECONDS = 300;

    @Override
    public void mutate(ResourceType type, ObjectNode object, @Nullable ObjectNode old) {
        if (type.equals(ResourceType.PODS)) {
            tolerations(Json.child(object, "spec"));
        }
    }

    private static void tolerations(ObjectNode spec) {
        for (String key : TOLERATED) {
            boolean tolerated = spec.path("tolerations").valueStream()
                    .anyMatch(toleration -> Set.of(key, "").contains(Json.text(toleration, "key"))
                            && Set.of("NoExecute", "").contains(Json.text(toleration, "effect")));
            if (!tolerated) {
                spec.withArray("tolerations").addObject().put("key", key).put("operator", "Exists")
                        .put("effect", "NoExecute")
                        .put("tolerationSeconds", SECONDS);
            }
        }
    }
}
