from jounce.codegen.expression import Expr as Expr
from jounce.codegen.graph import Graph as Graph
from jounce.codegen.interpreter import interpret as interpret
from jounce.codegen.program import Program as Program
