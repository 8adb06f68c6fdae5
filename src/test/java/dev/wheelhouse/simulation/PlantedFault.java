package dev.wheelhouse.simulation;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.runtime.Clock;
import dev.wheelhouse.testing.InterceptedClient;
import dev.wheelhouse.testing.Interceptor;

/** A defect that a test puts between the controllers and their context. */
interface PlantedFault {
    PlantedFault NONE = (server, context) -> context;

    ControllerContext plant(ApiServer server, ControllerContext context);

    /** The interceptor between the client and the manager. */
    default Interceptor view(ApiServer server) {
        return new Interceptor() {
        };
    }

    default Manager manager(ApiServer server, Interceptor faults, Clock clock, long seed) {
        var client = new InterceptedClient(new InterceptedClient(server.client("wheelhouse"), faults), view(server));
        return new Manager(client, clock, SteppedSystem.WORKLOADS, seed, context -> plant(server, context));
    }
}
