package dev.wheelhouse.controllers.bootstrap;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import org.jose4j.jws.AlgorithmIdentifiers;
import org.jose4j.jws.JsonWebSignature;
import org.jose4j.keys.HmacKey;
import org.jose4j.lang.JoseException;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Secret;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.controller.Action;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ObjectController;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.informer.SharedIndexInformer;
import dev.wheelhouse.workqueue.RateLimits;

/**
 * Signs the kubeconfig in the ConfigMap {@code kube-public/cluster-info} with each bootstrap token that is for it, so
 * that a machine which has a token can trust the description, although it reads it without credentials (upstream:
 * {@code pkg/controller/bootstrap/bootstrapsigner.go}). The signature of a token that is gone or has expired is
 * removed. Upstream removes that of an expired one only when something else changes.
 */
public final class BootstrapSigner extends ObjectController<V1ConfigMap> {
    public static final String NAME = "bootstrap-signer-controller";

    static final ObjectKey CLUSTER_INFO = ObjectKey.of("kube-public", "cluster-info");
    static final String KUBECONFIG = "kubeconfig";
    static final String SIGNATURE = "jws-kubeconfig-";

    private final SharedIndexInformer<V1Secret> tokens;

    public BootstrapSigner(ControllerContext context) {
        super(NAME, NAME, context, RateLimits.CONTROLLER, 1,
                context.informers().informer(ResourceType.CONFIG_MAPS, V1ConfigMap.class, CLUSTER_INFO.namespace(),
                        LabelSelector.everything(), FieldSelector.parse("metadata.name=" + CLUSTER_INFO.name())));
        tokens = BootstrapTokens.informer(context.informers());
        follow(tokens);
        watch(primary).enqueue(configMap -> CLUSTER_INFO);
        watch(tokens).enqueue(secret -> CLUSTER_INFO);
    }

    @Override
    protected Result sync(ObjectKey key, V1ConfigMap clusterInfo, SyncRun run) {
        return run.execute(decide(clusterInfo, tokens.getIndexer().list(), clock.now())).toResult();
    }

    /** The write that brings the signatures up to date, and a sync when a token expires. A pure function. */
    static List<Action> decide(V1ConfigMap clusterInfo, List<V1Secret> secrets, Instant now) {
        Map<String, String> data = clusterInfo.getData();
        String content = data == null ? null : data.get(KUBECONFIG);
        if (content == null) {
            return List.of();
        }
        Map<String, String> signed = new HashMap<>(data);
        signed.keySet().removeIf(key -> key.startsWith(SIGNATURE));
        BootstrapTokens.signing(secrets, now)
                .forEach((id, secret) -> signed.put(SIGNATURE + id, signature(content, id, secret)));
        List<Action> actions = new ArrayList<>();
        if (!signed.equals(data)) {
            actions.add(new Action.Update(ResourceType.CONFIG_MAPS, ModelJson.copy(clusterInfo).data(signed),
                    "the bootstrap tokens or the kubeconfig changed"));
        }
        actions.addAll(BootstrapTokens.atNextExpiration(secrets, now));
        return actions;
    }

    /** A JSON Web Signature without its content (upstream: {@code k8s.io/cluster-bootstrap/token/jws}). */
    static String signature(String content, String id, String secret) {
        JsonWebSignature signature = new JsonWebSignature();
        signature.setAlgorithmHeaderValue(AlgorithmIdentifiers.HMAC_SHA256);
        signature.setKeyIdHeaderValue(id);
        signature.setPayload(content);
        signature.setKey(new HmacKey(secret.getBytes(StandardCharsets.UTF_8)));
        // Tokens are shorter than the keys that RFC 7518 asks for.
        signature.setDoKeyValidation(false);
        try {
            return signature.getDetachedContentCompactSerialization();
        } catch (JoseException e) {
            throw new IllegalStateException("the ConfigMap " + CLUSTER_INFO + " could not be signed with the bootstrap "
                    + "token " + id, e);
        }
    }
}
