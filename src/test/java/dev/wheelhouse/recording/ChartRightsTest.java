package dev.wheelhouse.recording;

import java.util.*;
import org.junit.jupiter.api.Test;

class ChartRightsTest {
    @Test
    void print() throws Exception {
        RequestedRights rights = new RequestedRights();
        int before = 0;
        for (Scenario scenario : Scenario.all(System.getProperty("replay", "**")).stream().filter(Recording::exists).toList()) {
            long t = System.nanoTime();
            try (Replay replay = new Replay(scenario, 1).with(rights.controllers())) {
                replay.run();
            }
            int now = rights.byController().values().stream().mapToInt(Set::size).sum();
            System.out.println("SCN " + scenario + " " + (System.nanoTime() - t) / 1000000 + "ms +" + (now - before));
            before = now;
        }
        rights.byController().forEach((c, r) -> r.forEach(x -> System.out.println("RIGHT " + c + " " + x)));
    }
}
