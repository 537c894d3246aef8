/// A command line of the program.
struct Command: Equatable {
    /// What the program does.
    enum Action: Equatable {
        /// Shows the wall.
        case show
        /// Measures all steps, each in a process of its own.
        case measure
        /// Measures one step and prints its figures as JSON.
        case measureStep(MeasuredStep)
    }

    var action = Action.show
    /// The folder with the films.
    var folder = ""
    /// The size of the posters.
    var tile = PixelArea(width: 300, height: 450)
    /// The folder of the stores; nil for the user's cache folder.
    var cacheFolder: String?

    static let usage = """
        usage: film-reel FOLDER [--tile WIDTHxHEIGHT] [--cache FOLDER]
               film-reel measure FOLDER [--tile WIDTHxHEIGHT] [--cache FOLDER]
        """
    /// The permitted lengths of a poster's edges.
    private static let edges = 40...2000

    /// Parses the arguments after the program's name.
    ///
    /// - Throws: ``FilmReelError`` with the usage.
    init(arguments: [String]) throws {
        var rest = arguments[...]
        if rest.first == "measure" {
            action = .measure
            rest.removeFirst()
        } else if rest.first == "measure-step" {
            rest.removeFirst()
            guard let step = rest.popFirst().flatMap(MeasuredStep.init) else { throw FilmReelError(Self.usage) }
            action = .measureStep(step)
        }
        while let argument = rest.popFirst() {
            switch argument {
            case "--tile":
                guard let tile = rest.popFirst().flatMap(Self.tile) else {
                    throw FilmReelError("--tile needs a size such as 300x450\n" + Self.usage)
                }
                self.tile = tile
            case "--cache":
                guard let folder = rest.popFirst() else { throw FilmReelError("--cache needs a folder\n" + Self.usage) }
                cacheFolder = folder
            case _ where argument.hasPrefix("--") || !folder.isEmpty: throw FilmReelError(Self.usage)
            default: folder = argument
            }
        }
        if folder.isEmpty { throw FilmReelError(Self.usage) }
    }

    /// Parses the size of the posters.
    private static func tile(_ text: String) -> PixelArea? {
        let lengths = text.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) }
        guard lengths.count == 2, let width = lengths[0], let height = lengths[1], edges.contains(width),
            edges.contains(height)
        else { return nil }
        return PixelArea(width: width, height: height)
    }
}
