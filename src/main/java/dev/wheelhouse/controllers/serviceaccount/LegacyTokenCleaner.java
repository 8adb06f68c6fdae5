package dev.wheelhouse.controllers.serviceaccount;

import java.time.Duration;
import java.time.LocalDate;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Pod;
import io.kubernetes.client.openapi.models.V1Secret;
import io.kubernetes.client.openapi.models.V1ServiceAccount;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.ModelJson;
import dev.wheelhouse.client.ResourceClient;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.SyncRun;
import dev.wheelhouse.controllers.ControllerOptions;
import dev.wheelhouse.controllers.RoundController;
import dev.wheelhouse.facts.PodReferences;
import dev.wheelhouse.informer.SharedIndexInformer;

/**
 * Every 24 hours marks and deletes the token Secrets that were made for an account and that nobody has used for
 * {@link ControllerOptions.Identity#legacyTokenCleanUpPeriod} (upstream:
 * {@code pkg/controller/serviceaccount/legacy_serviceaccount_token_cleaner.go}). The API server records the last use in
 * a label, and the day on which this record began in a ConfigMap. {@code StaleTokens} decides. A failed write is tried
 * again in the next round.
 */
public final class LegacyTokenCleaner extends RoundController<V1Secret> {
    public static final String NAME = "legacy-serviceaccount-token-cleaner-controller";

    static final Duration PERIOD = Duration.ofHours(24);
    static final ObjectKey TRACKING = ObjectKey.of("kube-system",
            "kube-apiserver-legacy-service-account-token-tracking");

    private static final Logger log = LoggerFactory.getLogger(LegacyTokenCleaner.class);

    private final SharedIndexInformer<V1ServiceAccount> accounts;
    private final SharedIndexInformer<V1Pod> pods;
    private final ResourceClient<V1ConfigMap> configMaps;
    private final Duration cleanUpPeriod;

    /** Starts with a round. */
    public LegacyTokenCleaner(ControllerContext context) {
        super(NAME, context, TokenSecrets.informer(context.informers()), Duration.ZERO, PERIOD);
        accounts = informerFor(ResourceType.SERVICE_ACCOUNTS, V1ServiceAccount.class);
        pods = informerFor(ResourceType.PODS, V1Pod.class);
        configMaps = context.client().resource(ResourceType.CONFIG_MAPS, V1ConfigMap.class);
        cleanUpPeriod = context.options().get(ControllerOptions.Identity.DEFAULTS).legacyTokenCleanUpPeriod();
    }

    @Override
    protected void look(List<V1Secret> all, SyncRun run) {
        StaleTokens stale = new StaleTokens(clock.now(), cleanUpPeriod, accounts::get, this::mounted);
        LocalDate since = trackedSince();
        if (since != null && stale.isTrackedSince(since)) {
            tryEach(stale.among(all), run);
        }
    }

    /** The day on which the API server began to record the use of tokens; null if that is unknown. */
    private @Nullable LocalDate trackedSince() {
        try {
            V1ConfigMap tracking = configMaps.get(TRACKING);
            String since = tracking.getData() == null ? null : tracking.getData().get("since");
            LocalDate day = StaleTokens.date(since);
            if (day == null) {
                log.warn("{}: deletes no Secrets, because the ConfigMap {} has no date in data.since: {}", NAME,
                        TRACKING, since);
            }
            return day;
        } catch (KubeApiException e) {
            log.warn("{}: deletes no Secrets, because it is unknown since when their use is recorded: {}", NAME,
                    e.getMessage());
            return null;
        }
    }

    private Set<String> mounted(String namespace) {
        return pods.getIndexer().list(namespace).stream().flatMap(pod -> PodReferences.of(ModelJson.tree(pod)).stream())
                .filter(each -> each.resource().equals("secrets")).map(PodReferences.Reference::name)
                .collect(Collectors.toSet());
    }
}
