import CGTK
import Glibc

guard CommandLine.arguments.count == 2 else {
    print("usage: gtk-player FILE")
    exit(2)
}
// The name of the program for window managers.
g_set_prgname("gtk-player")
/// The film, in a global variable that lasts as long as the program.
var filmPlayer: FilmPlayer?
// Without a unique name, each start of the program plays its own film and needs no session bus.
guard let application = gtk_application_new(nil, G_APPLICATION_NON_UNIQUE) else { fatalError("GTK cannot start") }
attachMainQueueToGLib()
connectSignal(of: UnsafeMutableRawPointer(application), "activate") {
    do { filmPlayer = try FilmPlayer(file: CommandLine.arguments[1], application: application) } catch {
        print("gtk-player: \(error)")
        exit(1)
    }
}
// The arguments are not passed on: GTK would open the file itself.
exit(g_application_run(UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self), 0, nil))
