package dev.wheelhouse.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.wheelhouse.controller.Result;

/** An operator of sites that a test scripts. It records the keys that it is called for. */
class Scripted implements ReconcilingOperator<Site> {
    final List<String> calls = new ArrayList<>();
    private final Consumer<Setup<Site>> declarations;
    Script script = (request, context) -> Result.done();

    @FunctionalInterface
    interface Script {
        Result reconcile(Request<Site> request, Context<Site> context) throws Exception;
    }

    Scripted(Consumer<Setup<Site>> declarations) {
        this.declarations = declarations;
    }

    Scripted(Consumer<Setup<Site>> declarations, Script script) {
        this.declarations = declarations;
        this.script = script;
    }

    /** A script that returns nothing. */
    @FunctionalInterface
    interface Act {
        void on(Request<Site> request, Context<Site> context) throws Exception;
    }

    /** Makes this the script, after which nothing is left to do. */
    void does(Act act) {
        script = (request, context) -> {
            act.on(request, context);
            return Result.done();
        };
    }

    @Override
    public void setup(Setup<Site> setup) {
        declarations.accept(setup);
    }

    @Override
    public Result reconcile(Request<Site> request, Context<Site> context) throws Exception {
        calls.add(request.key().name());
        return script.reconcile(request, context);
    }

    /** The names of the objects of the calls since the last call of this method. */
    List<String> takeCalls() {
        List<String> taken = List.copyOf(calls);
        calls.clear();
        return taken;
    }
}
