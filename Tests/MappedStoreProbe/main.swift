import Glibc
import ProbeSupport
import SwiftPlay

// Writes pictures to a store until it is killed, or until the files of this process may not grow further.
//
// usage: MappedStoreProbe PATH ROWS BYTE-LIMIT SEED [FILE-SIZE-LIMIT]
//
// Pictures have rows of 4096 bytes. The keys are `key 0` to `key 23`, in a random order; the contents are those of
// `PictureContent`. After each picture, the program writes the line `stored KEY`. Without FILE-SIZE-LIMIT, it never
// exits. With it, it stores each key once, and writes `failed CODE` for a picture that it could not store.

/// Writes a line at once.
func report(_ line: String) {
    print(line)
    fflush(nil)
}

/// Returns a program argument as a number.
func numericArgument(_ index: Int) -> Int {
    guard let number = Int(CommandLine.arguments[index]) else { fatalError("argument \(index) is not a number") }
    return number
}

let layout = MappedStore.Layout(width: 1024, height: numericArgument(2), bytesPerRow: 4096)
let keys = (0..<24).map { "key \($0)" }
let contents = keys.map { PictureContent.bytes(forKey: $0, count: layout.byteCount) }

/// Stores the picture for one of the keys.
func store(_ index: Int, in store: MappedStore) {
    do throws(PlaybackError) {
        try contents[index].withUnsafeBufferPointer { bytes throws(PlaybackError) in
            try store.setPicture(UnsafeRawBufferPointer(bytes), forKey: keys[index])
        }
        report("stored \(keys[index])")
    } catch { report("failed \(error.code.rawValue)") }
}

do {
    if CommandLine.arguments.count > 5 {
        // A write beyond the limit fails with EFBIG instead of ending the process.
        signal(SIGXFSZ, SIG_IGN)
        var limit = rlimit(rlim_cur: rlim_t(numericArgument(5)), rlim_max: rlim_t(numericArgument(5)))
        setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit)
    }
    let pictureStore = try MappedStore(path: CommandLine.arguments[1], layout: layout, byteLimit: numericArgument(3))
    if CommandLine.arguments.count > 5 {
        for index in keys.indices { store(index, in: pictureStore) }
        exit(0)
    }
    var state = UInt64(numericArgument(4))
    while true {
        // The linear congruential generator of Knuth's MMIX.
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        store(Int((state >> 33) % UInt64(keys.count)), in: pictureStore)
    }
} catch {
    report("failed \(error.code.rawValue)")
    exit(1)
}
