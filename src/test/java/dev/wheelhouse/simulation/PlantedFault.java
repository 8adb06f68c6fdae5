package dev.wheelhouse.simulation;

import java.util.regex.Pattern;

import dev.wheelhouse.apiserver.ApiServer;
import dev.wheelhouse.controller.ControllerContext;
import dev.wheelhouse.testing.Interceptor;

/**
 * A programming error that is put into the controllers on purpose, and the words by which a rule reports it.
 *
 * @param caughtBy a regular expression that the first line of the report contains
 */
record PlantedFault(String name, String caughtBy, Defect defect) {
    /** Whether a report tells of this fault, and not of anything else. */
    boolean isToldBy(String report) {
        return Pattern.compile(caughtBy).matcher(report).find();
    }

    /** The error itself, between each controller and its context. {@link Defects} makes the usual ones. */
    interface Defect {
        Defect NONE = (server, context) -> context;

        /** Called for each controller of each manager. */
        ControllerContext plant(ApiServer server, ControllerContext context);

        /** The interceptor between the client and the manager. */
        default Interceptor view(ApiServer server) {
            return new Interceptor() {
            };
        }
    }
}
