package dev.wheelhouse.testing;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;

import io.kubernetes.client.openapi.models.V1ConfigMap;
import io.kubernetes.client.openapi.models.V1Deployment;
import io.kubernetes.client.openapi.models.V1Service;

import dev.wheelhouse.api.KubeApiException;
import dev.wheelhouse.api.LabelSelector;
import dev.wheelhouse.api.ObjectKey;
import dev.wheelhouse.controller.Result;
import dev.wheelhouse.operator.Context;
import dev.wheelhouse.operator.ReconcilingOperator;
import dev.wheelhouse.operator.Request;
import dev.wheelhouse.operator.Setup;

/** The example operator, as it might have been written by hand, with one bug each. */
final class PlantedBugs {
    private PlantedBugs() {}

    /** Does the same as {@link WebsiteOperator}, but for what a subclass changes. */
    static class ByHand implements ReconcilingOperator<Website> {
        @Override
        public void setup(Setup<Website> setup) {
            setup.name("website-operator").owns(V1Deployment.class).owns(V1Service.class).owns(V1ConfigMap.class);
        }

        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            String name = request.key().name();
            Website.Spec spec = request.primary().getSpec();
            V1Deployment deployment = context.apply(WebsiteOperator.deployment(name, spec.replicas()));
            V1Service service = context.apply(WebsiteOperator.service(name));
            if (spec.page() == null) {
                context.prune(List.of(deployment, service));
            } else {
                context.prune(List.of(deployment, service, context.apply(WebsiteOperator.page(name, spec.page()))));
            }
            context.status(new Website.Status(WebsiteOperator.readyReplicas(deployment), null));
            return Result.done();
        }
    }

    /** Takes the second failure in a row for the end. */
    static final class GivesUpAtTheSecondFailure extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            try {
                return super.reconcile(request, context);
            } catch (KubeApiException e) {
                if (request.failures() == 0) {
                    throw e;
                }
                return Result.done();
            }
        }
    }

    /** Creates nothing if there is a Deployment, because the version before would have created all. */
    static final class TakesTheFirstObjectForAll extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            return context.get(V1Deployment.class, request.key()).isPresent()
                    ? Result.done()
                    : super.reconcile(request, context);
        }
    }

    /** Gives each website a port of its own: the first that no other has, as far as the cache knows. */
    static final class ActsOnAStaleRead extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            String name = request.key().name();
            if (context.get(V1ConfigMap.class, request.key()).isEmpty()) {
                Set<String> taken = new TreeSet<>();
                context.list(V1ConfigMap.class, request.key().namespace(), LabelSelector.everything())
                        .forEach(other -> taken.add(String.valueOf(other.getData().get("port"))));
                int port = 30_000;
                while (taken.contains(Integer.toString(port))) {
                    port++;
                }
                context.apply(WebsiteOperator.page(name, "").data(Map.of("port", Integer.toString(port))));
            }
            return Result.done();
        }
    }

    /** Restarts the Deployment when the page has changed, and remembers only in memory that it still has to. */
    static final class LosesACrashBetweenTwoWrites extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            String name = request.key().name();
            Website.Spec spec = request.primary().getSpec();
            String before = context.get(V1ConfigMap.class, request.key()).map(V1ConfigMap::getData)
                    .map(data -> data.get("index.html")).orElse("");
            V1Deployment deployment = WebsiteOperator.deployment(name, spec.replicas());
            String generation = context.get(V1Deployment.class, request.key())
                    .map(d -> d.getSpec().getTemplate().getMetadata().getAnnotations())
                    .map(annotations -> annotations.get("page")).orElse("none");
            boolean changed = !before.equals(spec.page());
            context.apply(WebsiteOperator.page(name, spec.page()));
            deployment.getSpec().getTemplate().getMetadata()
                    .putAnnotationsItem("page", changed ? spec.page() : generation);
            context.apply(deployment);
            return Result.done();
        }
    }

    /** Applies the Service only once, because it never changes. */
    static final class ForgetsADeletedChild extends ByHand {
        private final Set<ObjectKey> done = new HashSet<>();

        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            String name = request.key().name();
            context.apply(WebsiteOperator.deployment(name, request.primary().getSpec().replicas()));
            if (done.add(request.key())) {
                context.apply(WebsiteOperator.service(name));
            }
            return Result.done();
        }
    }

    /** Keeps the first website that it was handed, notes in its labels what it has seen, and goes on with it. */
    static final class MutatesWhatItWasHanded extends ByHand {
        private final Map<ObjectKey, Website> known = new HashMap<>();

        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            Website website = known.computeIfAbsent(request.key(), key -> request.primary());
            website.getMetadata().putLabelsItem("seen-" + request.primary().getSpec().replicas(), "yes");
            context.apply(WebsiteOperator.page(request.key().name(), "").data(website.getMetadata().getLabels()));
            return Result.done();
        }
    }

    /** Marks objects of the cache in its mapping. */
    static final class MutatesTheCache extends ByHand {
        @Override
        public void setup(Setup<Website> setup) {
            super.setup(setup);
            setup.watches(V1ConfigMap.class, configMap -> {
                configMap.putDataItem("seen", "yes");
                return List.of();
            });
        }
    }

    /** Marks objects that it only views. */
    static final class MutatesWhatItViews extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            context.related().view().all(V1ConfigMap.class).forEach(map -> map.setData(Map.of("seen", "yes")));
            return super.reconcile(request, context);
        }
    }

    /** Waits for something that never comes. */
    static final class Blocks extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            if (request.primary().getSpec().replicas() == 3) {
                new CountDownLatch(1).await();
            }
            return super.reconcile(request, context);
        }
    }

    /** Writes a random value. */
    static final class DependsOnChance extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            if (context.get(V1ConfigMap.class, request.key()).isEmpty()) {
                context.apply(WebsiteOperator.page(request.key().name(), UUID.randomUUID().toString()));
            }
            return Result.done();
        }
    }

    /** Counts its own reconciliations in the status, each of which leads to the next. */
    static final class NeverComesToRest extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            Website.Status status = request.primary().getStatus();
            context.status(new Website.Status(status == null ? 1 : status.readyReplicas() + 1, null));
            return Result.done();
        }
    }

    /** Fails each time. */
    static final class Fails extends ByHand {
        @Override
        public Result reconcile(Request<Website> request, Context<Website> context) throws Exception {
            throw new IllegalStateException("the disk is full");
        }
    }
}
