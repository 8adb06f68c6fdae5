package dev.wheelhouse;

import java.util.ArrayList;
import java.util.List;

/** A service that runs out of memory, for OutOfMemoryTest. */
final class DyingService {
    private DyingService() {}

    /** @param args the service's; none to run out of memory without it, and go on */
    public static void main(String[] args) {
        if (args.length > 0) {
            Thread.ofPlatform().daemon().name("acceptor").start(() -> {
                while (Thread.getDefaultUncaughtExceptionHandler() == null) {
                    Thread.onSpinWait();
                }
                throw new OutOfMemoryError("planted");
            });
            WheelhouseApplication.main(args);
            return;
        }
        List<byte[]> taken = new ArrayList<>();
        try {
            while (true) {
                taken.add(new byte[1 << 20]);
            }
        } catch (OutOfMemoryError e) {
            taken.clear();
        }
        System.out.println("lives on");
    }
}
