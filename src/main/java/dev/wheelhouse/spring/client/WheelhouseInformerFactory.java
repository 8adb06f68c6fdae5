package dev.wheelhouse.spring.client;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

import org.jspecify.annotations.Nullable;

import io.kubernetes.client.common.KubernetesListObject;
import io.kubernetes.client.common.KubernetesObject;
import io.kubernetes.client.informer.ListerWatcher;
import io.kubernetes.client.informer.SharedIndexInformer;
import io.kubernetes.client.informer.SharedInformerFactory;
import io.kubernetes.client.openapi.ApiClient;
import io.kubernetes.client.openapi.ApiException;
import io.kubernetes.client.util.CallGenerator;
import io.kubernetes.client.util.CallGeneratorParams;
import io.kubernetes.client.util.generic.GenericKubernetesApi;
import io.kubernetes.client.util.generic.dynamic.DynamicKubernetesObject;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerMetrics;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

import okhttp3.HttpUrl;

/**
 * The official client's {@code SharedInformerFactory} on this engine: code that was written against that one gets informers of
 * this one by constructing this class instead. Differences, all on purpose: one factory holds any number of informers of one
 * type, for several namespaces and selectors ({@link #getExistingSharedIndexInformer} gives the latest); indices and handlers
 * may be added at any time; the cache cannot be written to; cached objects are shared and must not be changed.
 *
 * <p>Thread safe. Its informers run on threads of its own, from {@link #startAllRegisteredInformers} to
 * {@link #stopAllRegisteredInformers()}.
 */
public final class WheelhouseInformerFactory extends SharedInformerFactory implements AutoCloseable {
    private static final Duration GRACE = Duration.ofSeconds(5);

    private final ApiClient api;
    private final KubeClient client;
    private final boolean ownsClient;
    private final InformerFactory engine;
    private final LoopRunner runner;
    private final List<OfficialInformer<?>> made = new ArrayList<>();

    /** With the default options and a connection of its own to the client's server. */
    public WheelhouseInformerFactory(ApiClient api, Clock clock) {
        this(api, new HttpKubeClient(api, clock), true, clock, InformerMetrics.Provider.NONE,
                InformerOptions.defaults());
    }

    /** @param client the connection that the informers use, to the same server; it is not closed */
    public WheelhouseInformerFactory(ApiClient api, KubeClient client, Clock clock, InformerMetrics.Provider metrics,
            InformerOptions options) {
        this(api, client, false, clock, metrics, options);
    }

    private WheelhouseInformerFactory(ApiClient api, KubeClient client, boolean ownsClient, Clock clock,
            InformerMetrics.Provider metrics, InformerOptions options) {
        super(api);
        this.api = api;
        this.client = client;
        this.ownsClient = ownsClient;
        this.engine = new InformerFactory(client, clock, metrics, options);
        this.runner = new LoopRunner("official-informers", clock);
    }

    /** Takes group, version, type, namespace and selectors from the request's URL; the request itself is not sent. */
    @Override
    public synchronized <T extends KubernetesObject, L extends KubernetesListObject> SharedIndexInformer<T> sharedIndexInformerFor(
            CallGenerator callGenerator, Class<T> model, Class<L> listModel, long resyncPeriodMillis,
            @Nullable BiConsumer<Class<T>, Throwable> exceptionHandler) {
        HttpUrl url;
        try {
            url = callGenerator.generate(new CallGeneratorParams(Boolean.FALSE, "0", null)).request().url();
        } catch (ApiException e) {
            throw new IllegalArgumentException("the request that lists " + model.getSimpleName() + " cannot be made: "
                    + e.getMessage(), e);
        }
        RequestUrls.Listed listed = RequestUrls.parse(HttpUrl.get(api.getBasePath()), url, model);
        return register(source(listed, model), model, resyncPeriodMillis, exceptionHandler);
    }

    @Override
    public synchronized <T extends KubernetesObject, L extends KubernetesListObject> SharedIndexInformer<T> sharedIndexInformerFor(
            ListerWatcher<T, L> listerWatcher, Class<T> model, long resyncPeriodMillis,
            @Nullable BiConsumer<Class<T>, Throwable> exceptionHandler) {
        return register(new OfficialSource<>(listerWatcher, model), model, resyncPeriodMillis, exceptionHandler);
    }

    @Override
    public synchronized <T extends KubernetesObject, L extends KubernetesListObject> SharedIndexInformer<T> sharedIndexInformerFor(
            GenericKubernetesApi<T, L> generic, Class<T> model, long resyncPeriodMillis, String namespace,
            @Nullable BiConsumer<Class<T>, Throwable> exceptionHandler) {
        ResourceType type = DynamicKubernetesObject.class.isAssignableFrom(model)
                ? null
                : GenericApiFields.type(generic, RequestUrls.kind(model));
        if (type == null) {
            return super.sharedIndexInformerFor(generic, model, resyncPeriodMillis, namespace, exceptionHandler);
        }
        RequestUrls.Listed listed = new RequestUrls.Listed(type, namespace == null ? "" : namespace,
                LabelSelector.everything(), FieldSelector.everything());
        return register(source(listed, model), model, resyncPeriodMillis, exceptionHandler);
    }

    private <T extends KubernetesObject> dev.wheelhouse.client.ListerWatcher<T> source(RequestUrls.Listed listed,
            Class<T> model) {
        return client.resource(listed.type(), model).listerWatcher(listed.namespace(), listed.labels(),
                listed.fields());
    }

    private <T extends KubernetesObject> SharedIndexInformer<T> register(dev.wheelhouse.client.ListerWatcher<T> source,
            Class<T> model, long resyncPeriodMillis, @Nullable BiConsumer<Class<T>, Throwable> exceptionHandler) {
        dev.wheelhouse.client.ListerWatcher<T> reporting = exceptionHandler == null
                ? source
                : new ReportingSource<>(source, failure -> exceptionHandler.accept(model, failure));
        OfficialInformer<T> informer = new OfficialInformer<>(engine.unshared(reporting, model), model,
                Duration.ofMillis(Math.max(0, resyncPeriodMillis)),
                starting -> engine.start(starting.engine(), runner), stopping -> engine.stop(stopping.engine()));
        made.add(informer);
        informers.put(model, informer);
        return informer;
    }

    /** Starts what was registered and not started; returns at once. */
    @Override
    public synchronized void startAllRegisteredInformers() {
        made.forEach(OfficialInformer::run);
    }

    @Override
    public void stopAllRegisteredInformers() {
        stopAllRegisteredInformers(true);
    }

    /** Stops every informer for good, and every thread. */
    @Override
    public void stopAllRegisteredInformers(boolean shutdownThreadPool) {
        engine.close();
        runner.close(GRACE);
        if (ownsClient) {
            client.close();
        }
    }

    /** Whether every informer has synced. */
    public boolean hasSynced() {
        return engine.hasSynced();
    }

    /** The state of every informer. */
    public List<InformerState> states() {
        return engine.states();
    }

    @Override
    public void close() {
        stopAllRegisteredInformers();
    }
}
