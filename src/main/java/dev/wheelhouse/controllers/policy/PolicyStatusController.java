package dev.wheelhouse.controllers.policy;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import io.kubernetes.client.openapi.models.V1ObjectMeta;
import io.kubernetes.client.openapi.models.V1ValidatingAdmissionPolicy;
import io.kubernetes.client.openapi.models.V1ValidatingAdmissionPolicyStatus;

import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;

import static dev.wheelhouse.api.Absent.orZero;

/**
 * Writes the type errors of each ValidatingAdmissionPolicy into its status, once for each generation (upstream:
 * {@code pkg/controller/validatingadmissionpolicystatus}). Upstream knows the schemas of built-in kinds by itself. Here
 * the API server publishes all schemas, and a check waits while they cannot be read.
 */
public final class PolicyStatusController extends ObjectController<V1ValidatingAdmissionPolicy> {
    public static final String NAME = "validatingadmissionpolicy-status-controller";

    static final ResourceType POLICIES = new ResourceType("admissionregistration.k8s.io", "v1",
            "validatingadmissionpolicies", "ValidatingAdmissionPolicy", false);
    private static final String MANAGER = "validatingadmissionpolicy-status";

    private final TypeChecker checker;

    public PolicyStatusController(ControllerContext context) {
        super(NAME, context, POLICIES, V1ValidatingAdmissionPolicy.class);
        checker = new TypeChecker(context.client());
        watch(primary).enqueue(ObjectKey::of);
    }

    @Override
    protected Result sync(ObjectKey key, V1ValidatingAdmissionPolicy policy, SyncRun run) {
        return isChecked(policy)
                ? Result.done()
                : run.execute(List.of(report(policy, checker.check(policy)))).toResult();
    }

    private static boolean isChecked(V1ValidatingAdmissionPolicy policy) {
        V1ValidatingAdmissionPolicyStatus status = policy.getStatus();
        Long observed = status == null ? null : status.getObservedGeneration();
        return orZero(policy.getMetadata().getGeneration()) <= orZero(observed);
    }

    /** A pure function. */
    static Action report(V1ValidatingAdmissionPolicy policy, List<TypeChecker.Warning> warnings) {
        V1ObjectMeta meta = policy.getMetadata();
        Map<String, Object> status = new LinkedHashMap<>();
        status.put("observedGeneration", meta.getGeneration());
        status.put("typeChecking", warnings.isEmpty() ? Map.of() : Map.of("expressionWarnings", warnings));
        return new Action.Apply(POLICIES, ObjectKey.of(policy), "status", V1ValidatingAdmissionPolicy.class, MANAGER,
                true, ModelJson.write(Map.of("apiVersion", POLICIES.apiVersion(), "kind", POLICIES.kind(), "metadata",
                        Map.of("name", meta.getName(), "uid", meta.getUid()), "status", status)),
                "its expressions have been checked at generation " + meta.getGeneration());
    }
}
