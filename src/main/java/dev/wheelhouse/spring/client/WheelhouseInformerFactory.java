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
import io.micrometer.core.instrument.MeterRegistry;

import dev.wheelhouse.api.FieldSelector;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ResourceType;
import dev.wheelhouse.client.KubeClient;
import dev.wheelhouse.client.http.HttpKubeClient;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerOptions;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.meters.Meters;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.runtime.LoopRunner;

import okhttp3.HttpUrl;

/**
 * The official client's {@code SharedInformerFactory} with this project's informers. Code that is written against the
 * official factory constructs this class instead. It differs on purpose: one factory holds any number of informers of a
 * type, for several namespaces and selectors ({@link #getExistingSharedIndexInformer} returns the latest); indices and
 * handlers may be added at any time; the cache is read-only; and cached objects are shared and must not be changed.
 *
 * <p>Thread safe. The informers run on threads of the factory, from {@link #startAllRegisteredInformers} to
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

    /** A factory with the default options, and with a connection of its own to the client's server. */
    public WheelhouseInformerFactory(ApiClient api, Clock clock) {
        this(api, new HttpKubeClient(api, clock), true, clock, Meters.NONE,
                InformerOptions.defaults());
    }

    /** @param client the connection of the informers, to the same server; the caller closes it */
    public WheelhouseInformerFactory(ApiClient api, KubeClient client, Clock clock, MeterRegistry registry,
            InformerOptions options) {
        this(api, client, false, clock, registry, options);
    }

    private WheelhouseInformerFactory(ApiClient api, KubeClient client, boolean ownsClient, Clock clock,
            MeterRegistry registry, InformerOptions options) {
        super(api);
        this.api = api;
        this.client = client;
        this.ownsClient = ownsClient;
        this.engine = new InformerFactory(client, clock, registry, options);
        this.runner = new LoopRunner("official-informers", clock);
    }

    /** Reads group, version, type, namespace and selectors from the URL of the request, which is not sent. */
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
        dev.wheelhouse.informer.SharedIndexInformer<T> unshared = engine.unshared(source, model);
        if (exceptionHandler != null) {
            unshared.setWatchErrorHandler(failure -> exceptionHandler.accept(model, failure));
        }
        OfficialInformer<T> informer = new OfficialInformer<>(unshared, model,
                Duration.ofMillis(Math.max(0, resyncPeriodMillis)), () -> engine.start(unshared, runner),
                () -> engine.stop(unshared));
        made.add(informer);
        informers.put(model, informer);
        return informer;
    }

    /** Starts the informers that have not been started, and returns at once. */
    @Override
    public synchronized void startAllRegisteredInformers() {
        made.forEach(OfficialInformer::run);
    }

    @Override
    public void stopAllRegisteredInformers() {
        stopAllRegisteredInformers(true);
    }

    /** Stops all informers and threads, whatever the parameter. The factory cannot be started again. */
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
