package dev.wheelhouse.manager;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.function.Function;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

import dev.wheelhouse.api.ShardSelector;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.controller.ControllerMetrics;
import dev.wheelhouse.election.Leadership;
import dev.wheelhouse.election.ShardElector;
import dev.wheelhouse.election.ShardWork;
import dev.wheelhouse.informer.InformerFactory;
import dev.wheelhouse.informer.InformerState;
import dev.wheelhouse.informer.ShardInformers;
import dev.wheelhouse.informer.SharedInformerFactory;
import dev.wheelhouse.runtime.LoopRunner;

/**
 * The sharded controllers of this process. For each shard that the process leads there is a {@link ControllerManager}
 * with informers of the shard's namespaces alone. This manager begins and ends with the lead of the shard, so that a
 * later lead of the same shard begins with new caches and controllers. Any thread may ask for the state.
 */
public final class Shards implements ShardWork {
    private final InformerFactory informers;
    private final Contexts contexts;
    private final ManagerGuard guard;
    private final ControllerMetrics metrics;
    private final LoopRunner runner;
    private final @Nullable ShardElector elector;
    private final Map<Integer, Running> running = new ConcurrentSkipListMap<>();
    private volatile List<ControllerDescriptor> controllers = List.of();

    /** Makes the context of the controllers of one shard. */
    @FunctionalInterface
    public interface Contexts {
        /**
         * @param informers the caches of the shard
         * @param lead the lead of the shard; the controllers may write while it lasts
         * @param metrics the metrics of the shard's controllers
         */
        ControllerContext of(SharedInformerFactory informers, Leadership lead, ControllerMetrics metrics);
    }

    /**
     * @param informers the informers of the process
     * @param metrics the metrics of the controllers of the process
     * @param runner runs the loops of the controllers; its owner closes it
     * @param elector makes the elector that begins and ends the work; it returns null in a process that leads no shards
     */
    public Shards(InformerFactory informers, Contexts contexts, ManagerGuard guard, ControllerMetrics metrics,
            LoopRunner runner, Function<ShardWork, @Nullable ShardElector> elector) {
        this.informers = informers;
        this.contexts = contexts;
        this.guard = guard;
        this.metrics = metrics;
        this.runner = runner;
        this.elector = elector.apply(this);
    }

    /**
     * The shards of a process that does not divide the namespaces: there are none, and all controllers run in the
     * process that leads.
     */
    public static Shards none(InformerFactory informers, ManagerGuard guard, LoopRunner runner) {
        return new Shards(informers, (own, lead, metrics) -> {
            throw new IllegalStateException("this process leads no shards");
        }, guard, ControllerMetrics.NONE, runner, work -> null);
    }

    /**
     * The manager of the controllers that run only in the process with the common lead: all controllers, or with shards
     * those that are not {@link ControllerDescriptor#isSharded sharded}. Its state includes the shards' state. With
     * shards, the caches of a standby are always cold, because each process has work of its own. The parameters are
     * those of {@link ControllerManager}. Call it once, before the start.
     */
    public ControllerManager manager(ControllerContext context, List<ControllerDescriptor> all, Leadership leadership,
            Standby standby) {
        if (elector == null) {
            return new ControllerManager(context, all, guard, leadership, standby, runner);
        }
        Map<Boolean, List<ControllerDescriptor>> bySharding = all.stream()
                .collect(Collectors.partitioningBy(ControllerDescriptor::isSharded));
        controllers = bySharding.getOrDefault(true, List.of());
        return new ControllerManager(context, bySharding.getOrDefault(false, List.of()), guard, leadership,
                Standby.COLD, runner, "", this::managers);
    }

    /** The number of shards; 1 if controllers are not sharded. */
    public int count() {
        return elector == null ? 1 : elector.shards();
    }

    /** The shards that this process works on now, from 0. */
    public Set<Integer> led() {
        return elector == null ? Set.of() : elector.led();
    }

    void start() {
        if (elector != null) {
            runner.start("shards", elector);
        }
    }

    /** Gives all shards back. Call it again until it returns true. @return whether all controllers have ended */
    boolean end() {
        return elector == null || elector.end();
    }

    @Override
    public Tenure begin(int shard, int shards, Leadership lead) {
        ShardInformers own = new ShardInformers(informers, ShardSelector.ofNamespaces(shard, shards));
        ControllerMetrics counts = metrics.ofShard();
        Running begun = new Running(own, counts, new ControllerManager(contexts.of(own, lead, counts), controllers,
                guard, lead, Standby.COLD, runner, "-shard-" + shard + "-of-" + shards, List::of));
        running.put(shard, begun);
        runner.start("controller-manager-shard-" + shard, begun.manager);
        return () -> ended(shard, begun);
    }

    private boolean ended(int shard, Running ending) {
        if (!ending.manager.isIdle()) {
            ending.manager.wake();
            return false;
        }
        ending.manager.close();
        runner.stop(ending.manager);
        ending.informers.close();
        ending.metrics.end();
        running.remove(shard, ending);
        return true;
    }

    /** The managers of the shards that have begun here and have not ended. */
    public List<ControllerManager> managers() {
        return running.values().stream().map(Running::manager).toList();
    }

    /** The informers of these shards. */
    public List<InformerState> states() {
        List<InformerState> states = new ArrayList<>();
        running.values().forEach(each -> states.addAll(each.informers.states()));
        return states;
    }

    private record Running(ShardInformers informers, ControllerMetrics metrics, ControllerManager manager) {}
}
